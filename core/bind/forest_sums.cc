
#include <cmath>
#include <string>

#include "bind/arrays.h"
#include "bind/forest_parts.h"
#include "forest/inside_outside.h"
#include "forest/semiring.h"

namespace demotic::bind {

namespace {

void put(std::vector<double>& out, forest::Boolean k) { out.push_back(k.value ? 1.0 : 0.0); }
void put(std::vector<double>& out, forest::Count k) { out.push_back(k.value); }
void put(std::vector<double>& out, forest::MaxPlus k) { out.push_back(k.value); }
void put(std::vector<double>& out, forest::Log k) { out.push_back(k.value); }
void put(std::vector<double>& out, forest::Exp1 k) { out.insert(out.end(), {k.p, k.r}); }
void put(std::vector<double>& out, forest::Exp2 k) { out.insert(out.end(), {k.p, k.r, k.s, k.t}); }
void put(std::vector<double>& out, forest::Mean1 k) { out.insert(out.end(), {k.log_p, k.r}); }
void put(std::vector<double>& out, forest::Mean2 k) {
  out.insert(out.end(), {k.log_p, k.r, k.s, k.cov});
}

struct Values {
  std::vector<double> flat;
  size_t width;
};

template <class K, class Weight>
Values sums(const forest::Forest& f, bool out, Weight weight) {
  std::vector<K> beta(f.nodes(), K::zero());
  inside<K>(f, weight, beta);
  if (out) {
    std::vector<K> alpha(f.nodes(), K::zero());
    outside<K>(f, weight, std::span<const K>(beta), alpha);
    beta.swap(alpha);
  }
  Values values{{}, 0};
  for (const K& k : beta) put(values.flat, k);
  values.width = values.flat.size() / f.nodes();
  return values;
}

Values sums_by_name(const forest::Forest& f, const std::string& semiring, bool out,
                    std::span<const double> r, std::span<const double> s) {
  const auto score = f.score.view();
  const auto need = [&](std::span<const double> values, const char* name) {
    if (values.size() != f.edges())
      throw io::Error(io::Fault::argument,
                      "semiring '" + semiring + "' needs " + name + ": one value per edge");
  };
  if (semiring == "boolean")
    return sums<forest::Boolean>(f, out, [](uint32_t) { return forest::Boolean::one(); });
  if (semiring == "count")
    return sums<forest::Count>(f, out, [](uint32_t) { return forest::Count::one(); });
  if (semiring == "max")
    return sums<forest::MaxPlus>(f, out, [&](uint32_t e) { return forest::MaxPlus{score[e], e}; });
  if (semiring == "log")
    return sums<forest::Log>(f, out, [&](uint32_t e) { return forest::Log{score[e]}; });
  if (semiring != "exp1" && semiring != "exp2" && semiring != "mean1" && semiring != "mean2")
    throw io::Error(io::Fault::argument, "there is no semiring '" + semiring + "'", 0,
                    "boolean, count, max, log, exp1, exp2, mean1 or mean2");
  need(r, "r");
  if (semiring == "exp1")
    return sums<forest::Exp1>(f, out, [&](uint32_t e) {
      const double p = std::exp(score[e]);
      return forest::Exp1{p, p * r[e]};
    });
  if (semiring == "mean1")
    return sums<forest::Mean1>(f, out, [&](uint32_t e) { return forest::Mean1{score[e], r[e]}; });
  need(s, "s");
  if (semiring == "exp2")
    return sums<forest::Exp2>(f, out, [&](uint32_t e) {
      const double p = std::exp(score[e]);
      return forest::Exp2{p, p * r[e], p * s[e], p * r[e] * s[e]};
    });
  return sums<forest::Mean2>(f, out,
                             [&](uint32_t e) { return forest::Mean2{score[e], r[e], s[e], 0.0}; });
}

}  // namespace

void forest_sums(nb::class_<forest::Forest>& c) {
  c.def(
      "sums",
      [](const forest::Forest& f, const std::string& semiring, bool out, Input<double> r,
         Input<double> s) {
        Values values;
        {
          const nb::gil_scoped_release unlocked;
          values = sums_by_name(f, semiring, out, span_of(r), span_of(s));
        }
        return nb::make_tuple(numpy(std::move(values.flat)), values.width);
      },
      nb::arg("semiring"), nb::arg("outside"), nb::arg("r").noconvert(), nb::arg("s").noconvert());
}

}  // namespace demotic::bind
