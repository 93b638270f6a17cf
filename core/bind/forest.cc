#include "forest/forest.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "bind/bind.h"
#include "forest/builder.h"
#include "forest/context.h"
#include "forest/derivation.h"
#include "forest/envelope.h"
#include "forest/forest_file.h"
#include "forest/inside_outside.h"
#include "forest/kbest.h"
#include "forest/ngrams.h"
#include "forest/posterior.h"
#include "forest/prune.h"
#include "forest/restrict.h"
#include "forest/risk.h"
#include "forest/sample.h"
#include "forest/unite.h"
#include "parallel.h"

namespace demotic::bind {

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> copy_of(const Input<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class T>
Output<T> numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(kept->data(), {kept->size()}, owner);
}

std::vector<std::string> strings(const Names& names) {
  std::vector<std::string> result;
  for (uint32_t i = 0; i < names.size(); ++i) result.emplace_back(names[i]);
  return result;
}

// Several derivations as one array and its borders.
nb::tuple packed(const std::vector<Derivation>& derivations) {
  std::vector<uint32_t> off{0}, edges;
  for (const Derivation& d : derivations) {
    edges.insert(edges.end(), d.begin(), d.end());
    off.push_back(static_cast<uint32_t>(edges.size()));
  }
  return nb::make_tuple(numpy(std::move(off)), numpy(std::move(edges)));
}

// -- making a forest out of flat arrays ---------------------------------------------------------

class Columns {
 public:
  explicit Columns(const nb::dict& arrays) : arrays_(arrays) {}

  template <class T>
  std::span<const T> column(const char* name) const {
    if (!arrays_.contains(name))
      throw Error(Fault::argument, std::string("there is no array '") + name + "'");
    Input<T> array;
    if (!nb::try_cast(arrays_[name], array, false))
      throw Error(Fault::argument, std::string("array '") + name + "' has the wrong type");
    return span_of(array);
  }
  std::span<const uint32_t> offsets(const char* name, size_t rows, size_t values) const {
    const std::span<const uint32_t> off = column<uint32_t>(name);
    if (off.size() != rows + 1 || off[0] != 0 || off[rows] != values ||
        !std::is_sorted(off.begin(), off.end()))
      throw Error(Fault::argument, std::string("array '") + name + "' is not a list of borders");
    return off;
  }

 private:
  const nb::dict& arrays_;
};

template <class T>
std::span<const T> slice(std::span<const uint32_t> off, std::span<const T> values, size_t i) {
  return values.subspan(off[i], off[i + 1] - off[i]);
}

template <class T>
std::span<const T> sized(std::span<const T> values, size_t size, const char* name) {
  if (values.size() != size)
    throw Error(Fault::argument, std::string("array '") + name + "' has the wrong length");
  return values;
}

std::shared_ptr<const ForestRules> rules_from(const Columns& in) {
  const auto lhs = in.column<uint32_t>("rule_lhs");
  const size_t count = lhs.size();
  const auto origin = sized(in.column<uint32_t>("rule_origin"), count, "rule_origin");
  const auto source = in.column<int32_t>("source");
  const auto source_off = in.offsets("source_off", count, source.size());
  const auto target = in.column<int32_t>("target");
  const auto target_off = in.offsets("target_off", count, target.size());
  const auto id = in.column<uint32_t>("rule_feature_id");
  const auto value = sized(in.column<float>("rule_feature_value"), id.size(), "rule_feature_value");
  const auto off = in.offsets("rule_feature_off", count, id.size());
  RulesBuilder rules;
  for (size_t r = 0; r < count; ++r)
    rules.add(lhs[r], slice(source_off, source, r), slice(target_off, target, r), slice(off, id, r),
              slice(off, value, r), origin[r]);
  return rules.finish();
}

Forest build(const nb::dict& arrays, const std::vector<std::string>& words,
             const std::vector<std::string>& labels, const std::vector<std::string>& features,
             uint32_t root, uint32_t context_width) {
  const Columns in(arrays);
  auto names = std::make_shared<ForestNames>();
  *names = {Names(words), Names(labels), Names(features)};
  const auto dense_id = in.column<uint32_t>("dense_id");
  ForestBuilder builder(names, rules_from(in), {dense_id.begin(), dense_id.end()}, context_width);

  const auto label = in.column<uint32_t>("label");
  const auto where = sized(in.column<uint32_t>("span"), 2 * label.size(), "span");
  const auto context = in.column<int32_t>("context");
  const auto context_off = in.offsets("context_off", label.size(), context.size());
  const auto head = in.column<uint32_t>("head");
  const size_t edges = head.size();
  const auto tails = in.column<uint32_t>("tails");
  const auto tail_off = in.offsets("tail_off", edges, tails.size());
  const auto rule = sized(in.column<uint32_t>("rule"), edges, "rule");
  const auto score = sized(in.column<double>("score"), edges, "score");
  const auto loss = sized(in.column<float>("loss"), edges, "loss");
  const size_t width = dense_id.size();
  const auto dense = sized(in.column<float>("dense"), edges * width, "dense");
  const auto id = in.column<uint32_t>("edge_feature_id");
  const auto value = sized(in.column<float>("edge_feature_value"), id.size(), "edge_feature_value");
  const auto off = in.offsets("edge_feature_off", edges, id.size());

  const nb::gil_scoped_release unlocked;
  for (size_t v = 0; v < label.size(); ++v)
    builder.add_node(label[v], where[2 * v], where[2 * v + 1], slice(context_off, context, v));
  for (size_t e = 0; e < edges; ++e)
    builder.add_edge({.head = head[e],
                      .tails = slice(tail_off, tails, e),
                      .rule = rule[e],
                      .score = score[e],
                      .loss = loss[e],
                      .dense = dense.subspan(e * width, width),
                      .feature_ids = slice(off, id, e),
                      .feature_values = slice(off, value, e)});
  return builder.finalize(root);
}

// -- semirings by name --------------------------------------------------------------------------

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

// -- kernels over several forests ---------------------------------------------------------------

nb::list kbest_lists(const std::vector<Forest>& forests, const KBestOptions& options,
                     unsigned threads) {
  struct Result {
    std::vector<double> score;
    std::vector<Derivation> derivations;
    bool truncated = false;
  };
  std::vector<Result> results(forests.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
      KBest best(forests[i], forests[i].score, options);
      for (size_t rank = 0; best.reach(rank); ++rank) {
        results[i].score.push_back(best.score(rank));
        results[i].derivations.push_back(best.derivation(rank));
      }
      results[i].truncated = best.truncated();
    });
  }
  nb::list lists;
  for (Result& r : results) {
    const nb::tuple pack = packed(r.derivations);
    lists.append(nb::make_tuple(numpy(std::move(r.score)), pack[0], pack[1], r.truncated));
  }
  return lists;
}

nb::list sample_lists(const std::vector<Forest>& forests, size_t count, uint64_t seed,
                      uint64_t first_stream, unsigned threads) {
  std::vector<std::vector<Derivation>> results(forests.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
      results[i] = sample(forests[i], forests[i].score, count, seed, first_stream + i);
    });
  }
  nb::list lists;
  for (const std::vector<Derivation>& r : results) lists.append(packed(r));
  return lists;
}

std::vector<Forest> transformed(const std::vector<Forest>& forests, unsigned threads,
                                const auto& change) {
  const nb::gil_scoped_release unlocked;
  std::vector<Forest> results(forests.size());
  parallel_for(forests.size(), threads,
               [&](size_t i, unsigned) { results[i] = change(forests[i]); });
  return results;
}

nb::tuple risk_of(const std::vector<Forest>& forests, const Input<double>& weights, double scale,
                  double temperature, unsigned threads) {
  std::vector<const Forest*> pointers;
  for (const Forest& f : forests) pointers.push_back(&f);
  Risk result;
  {
    const nb::gil_scoped_release unlocked;
    result = risk(pointers, span_of(weights),
                  {.scale = scale, .temperature = temperature, .threads = threads});
  }
  return nb::make_tuple(result.value, result.expected_loss, numpy(std::move(result.gradient)),
                        result.scale_gradient);
}

// The upper envelope of a forest with the derivations behind its lines.
struct LineSearch {
  std::unique_ptr<Lines> lines;
  Envelope root;

  std::vector<double> each(double Line::* member) const {
    std::vector<double> values;
    for (const Line& line : root.lines()) values.push_back(line.*member);
    return values;
  }
};

std::vector<std::unique_ptr<LineSearch>> envelopes(const std::vector<Forest>& forests,
                                                   const Input<double>& weights,
                                                   const Input<double>& direction,
                                                   size_t max_segments, unsigned threads,
                                                   bool by_semiring) {
  std::vector<std::unique_ptr<LineSearch>> results(forests.size());
  const nb::gil_scoped_release unlocked;
  parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
    const Forest& f = forests[i];
    const std::vector<double> intercept = edge_scores(f, span_of(weights));
    const std::vector<double> slope = edge_scores(f, span_of(direction));
    results[i] = std::make_unique<LineSearch>();
    results[i]->lines = std::make_unique<Lines>(max_segments);
    Lines& lines = *results[i]->lines;
    if (by_semiring) {  // the definition, for tests
      std::vector<Envelope> beta(f.nodes());
      inside<Envelope>(f, [&](uint32_t e) { return lines.edge(e, slope[e], intercept[e]); }, beta);
      results[i]->root = std::move(beta[f.root()]);
    } else {
      results[i]->root = envelope_inside(f, slope, intercept, lines);
    }
  });
  return results;
}

nb::tuple ngrams(const Forest& f, uint32_t min_order, uint32_t max_order, bool posterior,
                 unsigned threads) {
  NgramTable table;
  std::vector<double> values;
  {
    const nb::gil_scoped_release unlocked;
    table = ngram_table(f, min_order, max_order);
    values = posterior ? ngram_posteriors(f, f.score, table, threads)
                       : expected_counts(table, posteriors(f, f.score).edge);
  }
  return nb::make_tuple(numpy(std::move(table.word_off)), numpy(std::move(table.words)),
                        numpy(std::move(values)));
}

template <class T>
auto view(Array<T> Forest::* member) {
  return [member](const Forest& f) {
    const Array<T>& array = f.*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

template <class T>
auto rule_view(Array<T> ForestRules::* member) {
  return [member](const Forest& f) {
    const Array<T>& array = (*f.rules).*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

void arrays(nb::class_<Forest>& c) {
  const auto kept = nb::rv_policy::reference_internal;  // a view keeps its forest alive
  c.def_prop_ro("in_off", view(&Forest::in_off), kept)
      .def_prop_ro("tail_off", view(&Forest::tail_off), kept)
      .def_prop_ro("tails", view(&Forest::tails), kept)
      .def_prop_ro("rule", view(&Forest::rule), kept)
      .def_prop_ro("score", view(&Forest::score), kept)
      .def_prop_ro("loss", view(&Forest::loss), kept)
      .def_prop_ro("label", view(&Forest::label), kept)
      .def_prop_ro("span", view(&Forest::span), kept)
      .def_prop_ro("context_off", view(&Forest::context_off), kept)
      .def_prop_ro("context", view(&Forest::context), kept)
      .def_prop_ro("dense_id", view(&Forest::dense_id), kept)
      .def_prop_ro("dense", view(&Forest::dense), kept)
      .def_prop_ro("edge_feature_off", view(&Forest::edge_feature_off), kept)
      .def_prop_ro("edge_feature_id", view(&Forest::edge_feature_id), kept)
      .def_prop_ro("edge_feature_value", view(&Forest::edge_feature_value), kept)
      .def_prop_ro("rule_lhs", rule_view(&ForestRules::lhs), kept)
      .def_prop_ro("rule_origin", rule_view(&ForestRules::origin), kept)
      .def_prop_ro("source_off", rule_view(&ForestRules::source_off), kept)
      .def_prop_ro("source", rule_view(&ForestRules::source), kept)
      .def_prop_ro("target_off", rule_view(&ForestRules::target_off), kept)
      .def_prop_ro("target", rule_view(&ForestRules::target), kept)
      .def_prop_ro("rule_feature_off", rule_view(&ForestRules::feature_off), kept)
      .def_prop_ro("rule_feature_id", rule_view(&ForestRules::feature_id), kept)
      .def_prop_ro("rule_feature_value", rule_view(&ForestRules::feature_value), kept)
      .def_prop_ro("nodes", &Forest::nodes)
      .def_prop_ro("edges", &Forest::edges)
      .def_prop_ro("context_width", [](const Forest& f) { return f.context_width; })
      .def_prop_ro("words", [](const Forest& f) { return strings(f.names->words); })
      .def_prop_ro("labels", [](const Forest& f) { return strings(f.names->labels); })
      .def_prop_ro("features", [](const Forest& f) { return strings(f.names->features); })
      .def("head", [](const Forest& f) { return numpy(f.heads()); });
}

void changes(nb::class_<Forest>& c) {
  c.def(
       "with_score", [](const Forest& f, Input<double> v) { return f.with_score(copy_of(v)); },
       nb::arg("score").noconvert())
      .def(
          "with_loss", [](const Forest& f, Input<float> v) { return f.with_loss(copy_of(v)); },
          nb::arg("loss").noconvert())
      .def(
          "edge_scores",
          [](const Forest& f, Input<double> w) { return numpy(edge_scores(f, span_of(w))); },
          nb::arg("weights").noconvert())
      .def(
          "keep",
          [](const Forest& f, Input<bool> keep) {
            const std::vector<char> flags(keep.data(), keep.data() + keep.shape(0));
            Provenance provenance;
            Forest result = keep_edges(f, flags, &provenance);
            return nb::make_tuple(std::move(result), numpy(std::move(provenance.node)),
                                  numpy(std::move(provenance.edge)));
          },
          nb::arg("keep").noconvert())
      .def("compact", &compact, Unlocked())
      .def("refine", &refine, nb::arg("width"), nb::arg("max_nodes"), Unlocked())
      .def(
          "restrict",
          [](const Forest& f, const std::vector<int32_t>& words) {
            const nb::gil_scoped_release unlocked;
            Forest result;
            return restrict_to(f, words, result) ? std::optional(std::move(result)) : std::nullopt;
          },
          nb::arg("words"))
      .def("save", &save, nb::arg("path"), Unlocked())
      .def_static("load", &load, nb::arg("path"), Unlocked());
}

void queries(nb::class_<Forest>& c) {
  c.def(
       "sums",
       [](const Forest& f, const std::string& semiring, bool out, Input<double> r,
          Input<double> s) {
         Values values;
         {
           const nb::gil_scoped_release unlocked;
           values = sums_by_name(f, semiring, out, span_of(r), span_of(s));
         }
         return nb::make_tuple(numpy(std::move(values.flat)), values.width);
       },
       nb::arg("semiring"), nb::arg("outside"), nb::arg("r").noconvert(), nb::arg("s").noconvert())
      .def("posteriors",
           [](const Forest& f) {
             Posteriors p;
             {
               const nb::gil_scoped_release unlocked;
               p = posteriors(f, f.score);
             }
             return nb::make_tuple(p.log_z, numpy(std::move(p.edge)), numpy(std::move(p.node)));
           })
      .def("log_z",
           [](const Forest& f) {
             const nb::gil_scoped_release unlocked;
             LogInside in;
             log_inside(f, f.score, in);
             return in.beta[f.root()];
           })
      .def("expected_features",
           [](const Forest& f) { return numpy(expected_features(f, posteriors(f, f.score).edge)); })
      .def(
          "entropy", [](const Forest& f) { return entropy(f, f.score); }, Unlocked())
      .def("deficits", [](const Forest& f) { return numpy(deficits(f, f.score)); })
      .def(
          "best",
          [](const Forest& f, Input<double> score) {
            if (score.shape(0) != f.edges())
              throw Error(Fault::argument, "needs one value per edge");
            double value = 0.0;
            Derivation d = viterbi(f, span_of(score), &value);
            return nb::make_tuple(value, numpy(std::move(d)));
          },
          nb::arg("score").noconvert())
      .def(
          "words_of",
          [](const Forest& f, Input<uint32_t> d, bool target) {
            return yield(f, span_of(d), target ? Side::target : Side::source);
          },
          nb::arg("derivation").noconvert(), nb::arg("target"))
      .def(
          "children",
          [](const Forest& f, Input<uint32_t> d) { return children(f, span_of(d), f.root()); },
          nb::arg("derivation").noconvert())
      .def("ngrams", &ngrams, nb::arg("min_order"), nb::arg("max_order"), nb::arg("posterior"),
           nb::arg("threads"))
      .def(
          "ngram_gain",
          [](const Forest& f, const std::vector<std::vector<int32_t>>& references,
             const std::vector<double>& weights) {
            return numpy(ngram_gain(f, references, weights));
          },
          nb::arg("references"), nb::arg("weights"));
}

}  // namespace

void forest(nb::module_& m) {
  nb::class_<Forest> c(m, "Forest", "A packed forest; see demotic.forest.Forest");
  arrays(c);
  changes(c);
  queries(c);
  nb::class_<LineSearch>(m, "LineSearch", "An upper envelope; see demotic.forest.Envelope")
      .def("slope", [](const LineSearch& s) { return numpy(s.each(&Line::slope)); })
      .def("intercept", [](const LineSearch& s) { return numpy(s.each(&Line::intercept)); })
      .def("start", [](const LineSearch& s) { return numpy(s.each(&Line::from)); })
      .def_prop_ro("truncated", [](const LineSearch& s) { return s.lines->truncated(); })
      .def_prop_ro("most", [](const LineSearch& s) { return s.lines->most(); })
      .def(
          "derivation",
          [](const LineSearch& s, size_t i) {
            return numpy(s.lines->derivation(s.root.lines().at(i).origin));
          },
          nb::arg("index"));
  m.def("forest_build", &build, nb::arg("arrays"), nb::arg("words"), nb::arg("labels"),
        nb::arg("features"), nb::arg("root"), nb::arg("context_width"));
  m.def(
      "forest_unite",
      [](const std::vector<Forest>& forests) {
        std::vector<const Forest*> pointers;
        for (const Forest& f : forests) pointers.push_back(&f);
        return unite(pointers);
      },
      nb::arg("forests"), Unlocked());
  m.def(
      "forest_kbest",
      [](const std::vector<Forest>& forests, size_t k, bool unique, size_t max_pops,
         unsigned threads) {
        return kbest_lists(forests, {.k = k, .unique = unique, .max_pops = max_pops}, threads);
      },
      nb::arg("forests"), nb::arg("k"), nb::arg("unique"), nb::arg("max_pops"), nb::arg("threads"));
  m.def("forest_sample", &sample_lists, nb::arg("forests"), nb::arg("count"), nb::arg("seed"),
        nb::arg("first_stream"), nb::arg("threads"));
  m.def("forest_risk", &risk_of, nb::arg("forests"), nb::arg("weights").noconvert(),
        nb::arg("scale"), nb::arg("temperature"), nb::arg("threads"));
  m.def("forest_envelopes", &envelopes, nb::arg("forests"), nb::arg("weights").noconvert(),
        nb::arg("direction").noconvert(), nb::arg("max_segments"), nb::arg("threads"),
        nb::arg("by_semiring") = false);
  m.def(
      "forest_prune",
      [](const std::vector<Forest>& forests, double threshold, unsigned threads) {
        return transformed(forests, threads,
                           [&](const Forest& f) { return prune(f, f.score, threshold); });
      },
      nb::arg("forests"), nb::arg("threshold"), nb::arg("threads"));
  m.def(
      "forest_prune_to",
      [](const std::vector<Forest>& forests, size_t max_edges, unsigned threads) {
        return transformed(forests, threads,
                           [&](const Forest& f) { return prune_to(f, f.score, max_edges); });
      },
      nb::arg("forests"), nb::arg("max_edges"), nb::arg("threads"));
  m.def(
      "forest_rescore",
      [](const std::vector<Forest>& forests, Input<double> weights, unsigned threads) {
        return transformed(forests, threads, [&](const Forest& f) {
          return f.with_score(edge_scores(f, span_of(weights)));
        });
      },
      nb::arg("forests"), nb::arg("weights").noconvert(), nb::arg("threads"));
}

}  // namespace demotic::bind
