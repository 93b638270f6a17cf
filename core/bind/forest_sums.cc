#include <nanobind/stl/string.h>

#include <cmath>
#include <string>

#include "bind/arrays.h"
#include "bind/forest_parts.h"
#include "forest/inside_outside.h"
#include "forest/semiring.h"

namespace demotic::bind {

namespace {

void put(std::vector<double>& out, Boolean k) { out.push_back(k.value ? 1.0 : 0.0); }
void put(std::vector<double>& out, Count k) { out.push_back(k.value); }
void put(std::vector<double>& out, MaxPlus k) { out.push_back(k.value); }
void put(std::vector<double>& out, Log k) { out.push_back(k.value); }
void put(std::vector<double>& out, Exp1 k) { out.insert(out.end(), {k.p, k.r}); }
void put(std::vector<double>& out, Exp2 k) { out.insert(out.end(), {k.p, k.r, k.s, k.t}); }
void put(std::vector<double>& out, Mean1 k) { out.insert(out.end(), {k.log_p, k.r}); }
void put(std::vector<double>& out, Mean2 k) { out.insert(out.end(), {k.log_p, k.r, k.s, k.cov}); }

struct Values {
  std::vector<double> flat;
  size_t width;
};

template <class K, class Weight>
Values sums(const Forest& f, bool out, Weight weight) {
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

Values sums_by_name(const Forest& f, const std::string& semiring, bool out,
                    std::span<const double> r, std::span<const double> s) {
  const auto score = f.score.view();
  const auto need = [&](std::span<const double> values, const char* name) {
    if (values.size() != f.edges())
      throw Error(Fault::argument,
                  "semiring '" + semiring + "' needs " + name + ": one value per edge");
  };
  if (semiring == "boolean") return sums<Boolean>(f, out, [](uint32_t) { return Boolean::one(); });
  if (semiring == "count") return sums<Count>(f, out, [](uint32_t) { return Count::one(); });
  if (semiring == "max")
    return sums<MaxPlus>(f, out, [&](uint32_t e) { return MaxPlus{score[e], e}; });
  if (semiring == "log") return sums<Log>(f, out, [&](uint32_t e) { return Log{score[e]}; });
  if (semiring != "exp1" && semiring != "exp2" && semiring != "mean1" && semiring != "mean2")
    throw Error(Fault::argument, "there is no semiring '" + semiring + "'", 0,
                "boolean, count, max, log, exp1, exp2, mean1 or mean2");
  need(r, "r");
  if (semiring == "exp1")
    return sums<Exp1>(f, out, [&](uint32_t e) {
      const double p = std::exp(score[e]);
      return Exp1{p, p * r[e]};
    });
  if (semiring == "mean1")
    return sums<Mean1>(f, out, [&](uint32_t e) { return Mean1{score[e], r[e]}; });
  need(s, "s");
  if (semiring == "exp2")
    return sums<Exp2>(f, out, [&](uint32_t e) {
      const double p = std::exp(score[e]);
      return Exp2{p, p * r[e], p * s[e], p * r[e] * s[e]};
    });
  return sums<Mean2>(f, out, [&](uint32_t e) { return Mean2{score[e], r[e], s[e], 0.0}; });
}

}  // namespace

void forest_sums(nb::class_<Forest>& c) {
  c.def(
      "sums",
      [](const Forest& f, const std::string& semiring, bool out, Input<double> r, Input<double> s) {
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
