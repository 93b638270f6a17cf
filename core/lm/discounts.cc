#include "lm/discounts.h"

#include <string>

#include "io/error.h"

namespace demotic::lm {

Discounts estimate_discounts(const CountsOfCounts& seen, unsigned order, bool fallback) {
  const auto& n = seen.n;
  std::string trouble;
  Discounts out;
  for (unsigned j = 1; j <= 3 && trouble.empty(); ++j)
    if (n[j] == 0)
      trouble = "no " + std::to_string(order) + "-gram has the adjusted count " + std::to_string(j);
  if (trouble.empty()) {
    // In single precision, as lmplz does it: both must agree on what is out of range.
    const float y = static_cast<float>(n[1]) /
                    static_cast<float>(static_cast<double>(n[1]) + 2.0 * static_cast<double>(n[2]));
    for (unsigned j = 1; j <= 3; ++j) {
      out.amount[j] = static_cast<float>(j) - static_cast<float>(j + 1) * y *
                                                  static_cast<float>(n[j + 1]) /
                                                  static_cast<float>(n[j]);
      if (out.amount[j] < 0 || out.amount[j] > static_cast<float>(j))
        trouble = "the discount of " + std::to_string(order) + "-grams with the adjusted count " +
                  std::to_string(j) + " is out of range";
    }
  }
  if (trouble.empty()) return out;
  if (!fallback)
    throw io::Error(io::Fault::format, "cannot estimate Kneser-Ney discounts: " + trouble, 0,
                    "remove repeated lines, give more text, or allow fallback discounts");
  out.amount = {0, 0.5f, 1, 1.5f};
  out.fallback = true;
  return out;
}

}  // namespace demotic::lm
