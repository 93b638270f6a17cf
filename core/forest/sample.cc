#include "forest/sample.h"

#include <algorithm>

#include "forest/posterior.h"
#include "io/checksum.h"

namespace demotic::forest {

namespace {

// splitmix64 (Steele, Lea & Flood 2014): any starting point is good, and it is the same everywhere.
class Random {
 public:
  explicit Random(uint64_t state) : state_(state) {}
  double uniform() {  // in [0, 1)
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }

 private:
  uint64_t state_;
};

}  // namespace

std::vector<Derivation> sample(const Forest& f, std::span<const double> score, size_t count,
                               uint64_t seed, uint64_t stream) {
  LogInside in;
  log_inside(f, score, in);
  std::vector<double>& upto = in.q;  // becomes p(this edge of the node or an earlier one)
  for (uint32_t v = 0; v < f.nodes(); ++v)
    for (uint32_t e = f.in_off[v] + 1; e < f.in_off[v + 1]; ++e) upto[e] += upto[e - 1];
  Random random(io::mix64(seed) ^ io::mix64(stream * 0x9e3779b97f4a7c15ull + 1));
  std::vector<Derivation> result(count);
  std::vector<uint32_t> open;
  for (Derivation& d : result) {
    open.assign(1, f.root());
    while (!open.empty()) {
      const uint32_t v = open.back();
      open.pop_back();
      const auto begin = upto.begin() + f.in_off[v];
      const auto end = upto.begin() + f.in_off[v + 1];
      const double u = random.uniform() * *(end - 1);  // their sum is 1 only up to rounding
      const auto chosen = std::min(std::upper_bound(begin, end, u), end - 1);
      const auto e = static_cast<uint32_t>(chosen - upto.begin());
      d.push_back(e);
      const std::span<const uint32_t> tails = f.tails_of(e);
      open.insert(open.end(), tails.rbegin(), tails.rend());
      check_length(d.size() + open.size());
    }
  }
  return result;
}

}  // namespace demotic::forest
