#include "grammar/block_events.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/counters.h"

namespace demotic::bind {

namespace {

grammar::PairCounts pair_counts_named(const std::string& name) {
  if (name == "none") return grammar::PairCounts::none;
  if (name == "observed") return grammar::PairCounts::observed;
  if (name == "candidates") return grammar::PairCounts::candidates;
  throw io::Error(io::Fault::argument, "pairs cannot be counted over '" + name + "'", 0,
                  "observed or candidates");
}

const char* name_of(grammar::BlockOrientation o) {
  return o == grammar::BlockOrientation::left    ? "L"
         : o == grammar::BlockOrientation::right ? "R"
                                                 : "N";
}

grammar::BlockText text_of(const text::TokenLines& source, const text::TokenLines& target,
                           const align::Links& links, const align::Links* all) {
  return {source, target, links, all == nullptr ? links : *all};
}

void check_text(const grammar::BlockEventOptions& options, const grammar::BlockText& text,
                size_t end) {
  const bool fits = end <= text.source.size() && end <= text.target.size() &&
                    (!options.aligned || (end <= text.links.size() && end <= text.all.size()));
  if (!fits)
    throw io::Error(io::Fault::argument, "texts and links have different numbers of lines");
}

using Group =
    std::tuple<std::optional<uint32_t>, std::vector<std::tuple<uint32_t, const char*, uint32_t>>,
               std::vector<uint32_t>>;

Group group_of(const grammar::BlockCandidates& candidates, std::optional<uint32_t> previous) {
  std::vector<std::tuple<uint32_t, const char*, uint32_t>> list;
  for (const grammar::BlockCandidate& c : candidates.list)
    list.emplace_back(c.block, name_of(c.orientation), c.source_begin);
  return {previous, list, candidates.labels};
}

// (occurrences, L/R groups, N groups) of one sentence pair, for those who want to look.
nb::tuple pair_events(const grammar::BlockTable& table, const grammar::BlockEventOptions& options,
                      const text::TokenLines& source, const text::TokenLines& target,
                      const align::Links& links, const align::Links* all, size_t line) {
  const grammar::BlockText text = text_of(source, target, links, all);
  check_text(options, text, line + 1);
  grammar::BlockPairReader reader(table, options);
  grammar::BlockCandidates candidates(table, options.candidates);
  nb::list occurrences, successors, neutral;
  if (!reader.read(text, line)) return nb::make_tuple(occurrences, successors, neutral);
  for (const grammar::BlockOccurrence& o : reader.occurrences)
    occurrences.append(
        nb::make_tuple(o.block, o.source_begin, o.source_end, o.target_begin, o.target_end));
  for (const grammar::OrientationEvents::Group& group : reader.events.groups) {
    candidates.successors(reader.occurrences, reader.events, group);
    successors.append(nb::cast(group_of(candidates, group.predecessor == grammar::kBeginBlock
                                                        ? std::nullopt
                                                        : std::optional(group.predecessor))));
  }
  for (const uint32_t i : reader.events.neutral) {
    candidates.neutral(reader.occurrences[i]);
    neutral.append(nb::cast(group_of(candidates, i)));
  }
  return nb::make_tuple(occurrences, successors, neutral);
}

}  // namespace

void block_events(nb::module_& m) {
  nb::class_<grammar::BlockEventOptions>(m, "BlockEventOptions", "What counts as an event")
      .def(
          "__init__",
          [](grammar::BlockEventOptions* self, bool aligned, bool projection, bool start,
             uint32_t alternatives, bool drop_rare, const std::string& count_pairs,
             uint32_t longest) {
            new (self) grammar::BlockEventOptions{
                .aligned = aligned,
                .projection = projection,
                .boundary = start ? grammar::Boundary::start : grammar::Boundary::neutral,
                .candidates = {.alternatives = alternatives, .drop_rare = drop_rare},
                .count_pairs = pair_counts_named(count_pairs),
                .longest = longest};
          },
          nb::arg("aligned"), nb::arg("projection"), nb::arg("start"), nb::arg("alternatives"),
          nb::arg("drop_rare"), nb::arg("count_pairs"), nb::arg("longest"));

  bind_counters<grammar::BlockEventCounts>(m, "BlockEventCounts",
                                           "See demotic.grammar.EventCounts");

  struct Counter {
    grammar::BlockEventOptions options;
    grammar::BlockEventCounter counter;
  };
  nb::class_<Counter>(m, "BlockEventCounter", "Counts orientations and pairs of blocks")
      .def(
          "__init__",
          [](Counter* self, const grammar::BlockTable& table,
             const grammar::BlockEventOptions& options, const std::string& folder,
             uint64_t memory) { new (self) Counter{options, {table, options, folder, memory}}; },
          nb::arg("table"), nb::arg("options"), nb::arg("folder"), nb::arg("memory"),
          nb::keep_alive<1, 2>())
      .def(
          "run",
          [](Counter& c, const text::TokenLines& source, const text::TokenLines& target,
             const align::Links& links, const align::Links* all, size_t begin, size_t end,
             unsigned threads) {
            const grammar::BlockText text = text_of(source, target, links, all);
            check_text(c.options, text, end);
            const nb::gil_scoped_release unlocked;
            c.counter.run(text, begin, end, threads);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("links"), nb::arg("all").none(),
          nb::arg("begin"), nb::arg("end"), nb::arg("threads"))
      .def("left",
           [](const Counter& c) { return numpy(unlocked([&] { return c.counter.left(); })); })
      .def("right",
           [](const Counter& c) { return numpy(unlocked([&] { return c.counter.right(); })); })
      .def(
          "frequent_pairs",
          [](Counter& c, uint32_t threshold) {
            return numpy(unlocked([&] { return c.counter.frequent_pairs(threshold); }));
          },
          nb::arg("threshold"), "Keys of the pairs met more often than that; empties the counter")
      .def_prop_ro("counts", [](const Counter& c) { return c.counter.counts(); });

  struct Builder {
    grammar::BlockEventOptions options;
    std::vector<grammar::BlockCosts> costs;
    std::unique_ptr<grammar::BlockEventBuilder> builder;
  };
  nb::class_<Builder>(m, "BlockEventBuilder", "Events with the features of their candidates")
      .def(
          "__init__",
          [](Builder* self, const grammar::BlockTable& table,
             const std::vector<const lm::Model*>& lms, const grammar::BlockPairs& pairs,
             const grammar::BlockEventOptions& options, double smoothing,
             const std::string& unigram, const std::string& folder, size_t memory) {
            const nb::gil_scoped_release unlocked;
            const grammar::BlockCostOptions how{.smoothing = smoothing,
                                                .unigram = grammar::unigram_cost(unigram)};
            std::vector<grammar::BlockCosts> costs;
            for (const lm::Model* const lm : lms) costs.emplace_back(table, lm, how);
            if (costs.empty()) costs.emplace_back(table, nullptr, how);
            new (self) Builder{options, std::move(costs), nullptr};
            try {
              self->builder = std::make_unique<grammar::BlockEventBuilder>(self->costs, pairs,
                                                                           options, folder, memory);
            } catch (...) {
              self->~Builder();
              throw;
            }
          },
          nb::arg("table"), nb::arg("lms"), nb::arg("pairs"), nb::arg("options"),
          nb::arg("smoothing"), nb::arg("unigram"), nb::arg("folder"), nb::arg("memory"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def(
          "run",
          [](Builder& b, const text::TokenLines& source, const text::TokenLines& target,
             const align::Links& links, const align::Links* all, size_t begin, size_t end,
             unsigned threads) {
            const grammar::BlockText text = text_of(source, target, links, all);
            check_text(b.options, text, end);
            const nb::gil_scoped_release unlocked;
            b.builder->run(text, begin, end, threads);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("links"), nb::arg("all").none(),
          nb::arg("begin"), nb::arg("end"), nb::arg("threads"))
      .def(
          "allow",
          [](Builder& b, Input<uint32_t> blocks) {
            const nb::gil_scoped_release unlocked;
            std::vector<uint8_t> marks(b.costs.front().table().blocks(), 0);
            for (const uint32_t block : span_of(blocks)) {
              if (block >= marks.size())
                throw io::Error(io::Fault::argument, "there is no such block");
              marks[block] = 1;
            }
            b.builder->allow(std::move(marks));
          },
          nb::arg("blocks").noconvert(), "Make events of these blocks alone")
      .def(
          "finish",
          [](Builder& b) {
            events::EventGroups next = unlocked([&] { return b.builder->successors(); });
            events::EventGroups alone = unlocked([&] { return b.builder->neutral(); });
            return nb::make_tuple(std::move(next), std::move(alone));
          },
          "L/R events and N events");
  m.attr("EVENT_WINDOW") = grammar::BlockEventBuilder::kWindow;
  m.def("block_pair_events", &pair_events, nb::arg("table"), nb::arg("options"), nb::arg("source"),
        nb::arg("target"), nb::arg("links"), nb::arg("all").none(), nb::arg("line"));
}

}  // namespace demotic::bind
