#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bind/bind.h"
#include "bind/counters.h"
#include "grammar/itg_extraction.h"
#include "grammar/lazy_rules.h"
#include "grammar/rule_extraction.h"
#include "grammar/rule_merge.h"
#include "grammar/rule_scorer.h"
#include "grammar/rule_sums.h"
#include "grammar/rule_table.h"
#include "grammar/rule_table_builder.h"

namespace demotic::bind {

namespace {

using Borders = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// -- extraction --------------------------------------------------------------------------------

using Buffers = nb::typed<nb::tuple, nb::bytes, nb::bytes>;
using Table = nb::typed<nb::tuple, uint32_t, size_t, Buffers, Buffers, Buffers, nb::bytes, Buffers,
                        nb::bytes, nb::bytes, nb::bytes>;

Buffers buffers(const grammar::BinaryColumn& column) {
  return nb::make_tuple(nb::bytes(column.ends.data(), column.ends.size() * sizeof(column.ends[0])),
                        nb::bytes(column.bytes.data(), column.bytes.size()));
}

nb::bytes buffer(const std::vector<int64_t>& column) {
  return nb::bytes(column.data(), column.size() * sizeof(int64_t));
}

nb::typed<nb::list, Table> tables(const std::vector<grammar::RulePart>& all) {
  nb::typed<nb::list, Table> out;
  for (const auto& [number, columns] : all)
    out.append(nb::make_tuple(number, columns.rows(), buffers(columns.source),
                              buffers(columns.target), buffers(columns.links), buffer(columns.mass),
                              buffers(columns.origins), buffer(columns.sentences),
                              buffer(columns.source_sentences), buffer(columns.target_sentences)));
  return out;
}

void bind_extraction(nb::module_& m) {
  nb::class_<grammar::HieroOptions>(m, "HieroOptions", "What counts as a rule")
      .def(nb::init<>())
      .def_rw("max_phrase", &grammar::HieroOptions::max_phrase)
      .def_rw("max_symbols", &grammar::HieroOptions::max_symbols)
      .def_rw("max_nonterminals", &grammar::HieroOptions::max_nonterminals)
      .def_rw("min_hole", &grammar::HieroOptions::min_hole)
      .def_rw("tight", &grammar::HieroOptions::tight)
      .def_rw("tight_holes", &grammar::HieroOptions::tight_holes)
      .def_rw("deletions", &grammar::HieroOptions::deletions)
      .def_rw("orientations", &grammar::HieroOptions::orientations);

  nb::class_<grammar::RuleExtraction>(m, "RuleExtraction", "Extracts and counts rules over threads")
      .def(nb::init<const grammar::HieroOptions&, size_t, uint32_t, unsigned, bool>(),
           nb::arg("options"), nb::arg("rows"), nb::arg("parts"), nb::arg("threads"),
           nb::arg("sentences"), Unlocked())
      .def("run", &grammar::RuleExtraction::run, nb::arg("source"), nb::arg("target"),
           nb::arg("links"), nb::arg("begin"), nb::arg("end"), Unlocked(),
           "Extract from the sentence pairs from begin up to end")
      .def(
          "take",
          [](grammar::RuleExtraction& extraction) {
            return tables(unlocked([&] { return extraction.take(); }));
          },
          "Rows that no longer fit: (part, rows, source, target, links, mass, origins, sentences, "
          "source_sentences, target_sentences), the last three empty if not asked for; a binary "
          "column is its borders and its bytes; rows of one target side are in one part")
      .def(
          "take_all",
          [](grammar::RuleExtraction& extraction) {
            return tables(unlocked([&] { return extraction.take_all(); }));
          },
          "The remaining rows")
      .def_prop_ro("occurrences", &grammar::RuleExtraction::occurrences)
      .def_prop_ro("orientations", &grammar::RuleExtraction::orientations,
                   "Occurrences by orientation: monotone, swap, other to what is before, then to "
                   "what is after");
}

// -- items ---------------------------------------------------------------------------------------

grammar::SubItems sub_items_by_name(const std::string& name) {
  if (name == "itg") return grammar::SubItems::itg;
  if (name == "all") return grammar::SubItems::all;
  if (name == "none") return grammar::SubItems::none;
  throw io::Error(io::Fault::argument, "there are no sub-items '" + name + "'", 0,
                  "itg, all or none");
}

grammar::Unaligned unaligned_by_name(const std::string& name) {
  if (name == "next") return grammar::Unaligned::next;
  if (name == "previous") return grammar::Unaligned::previous;
  throw io::Error(io::Fault::argument, "unaligned words go to no '" + name + "'", 0,
                  "next or previous");
}

using Item = std::array<uint32_t, 5>;  // source and target borders, label

std::vector<Item> items_of(std::span<const grammar::ItgItem> items) {
  std::vector<Item> all;
  for (const grammar::ItgItem& item : items)
    all.push_back(
        {item.source_begin, item.source_end, item.target_begin, item.target_end, item.label});
  return all;
}

void bind_items(nb::module_& m) {
  nb::class_<grammar::ItgOptions>(m, "ItgOptions", "How sentence pairs fall into items")
      .def(
          "__init__",
          [](grammar::ItgOptions* self, const std::string& sub_items, const std::string& unaligned,
             uint32_t max_words, uint32_t compose, bool loose) {
            new (self) grammar::ItgOptions{sub_items_by_name(sub_items),
                                           unaligned_by_name(unaligned), max_words, compose, loose};
          },
          nb::arg("sub_items"), nb::arg("unaligned"), nb::arg("max_words"), nb::arg("compose"),
          nb::arg("loose"));
  m.def(
      "itg_items",
      [](uint32_t source_size, uint32_t target_size,
         const std::vector<std::array<uint32_t, 2>>& links, const grammar::ItgOptions& options) {
        std::vector<align::Link> all;
        for (const auto& [source, target] : links) {
          if (source >= source_size || target >= target_size)
            throw io::Error(io::Fault::argument, "a link outside its sentences");
          all.push_back({source, target});
        }
        grammar::ItgExtractor extract(options);
        extract(source_size, target_size, all);
        const auto items = items_of(extract.items()), within = items_of(extract.sub_items()),
                   composed = items_of(extract.composed()), loosened = items_of(extract.loosened());
        extract.take_composed();
        return std::tuple{items, within, composed, loosened, items_of(extract.items())};
      },
      nb::arg("source_size"), nb::arg("target_size"), nb::arg("links"), nb::arg("options"),
      "Items of a pair, those within them, those composed of them, those with other words at their "
      "borders, and the sentence cut into composed ones: "
      "source and target borders, label; none if it is skipped");

  bind_counters<grammar::ItgCounts>(m, "ItgCounts", "See demotic.grammar.ItemCounts");
  nb::class_<grammar::ItgExtraction>(m, "ItgExtraction", "Finds and counts items over threads")
      .def(nb::init<const grammar::ItgOptions&, uint32_t, bool, size_t, uint32_t, unsigned>(),
           nb::arg("options"), nb::arg("max_item"), nb::arg("empty_items"), nb::arg("rows"),
           nb::arg("parts"), nb::arg("threads"), Unlocked())
      .def("run", &grammar::ItgExtraction::run, nb::arg("source"), nb::arg("target"),
           nb::arg("links"), nb::arg("begin"), nb::arg("end"), Unlocked(),
           "Find the items of the sentence pairs from begin up to end")
      .def(
          "take",
          [](grammar::ItgExtraction& extraction) {
            return tables(unlocked([&] { return extraction.take(); }));
          },
          "Rows that no longer fit, as those of RuleExtraction")
      .def(
          "take_all",
          [](grammar::ItgExtraction& extraction) {
            return tables(unlocked([&] { return extraction.take_all(); }));
          },
          "The remaining rows")
      .def_prop_ro("counts", &grammar::ItgExtraction::counts)
      .def_prop_ro("lengths", &grammar::ItgExtraction::lengths,
                   "Items by their source words, from 1 on; the last counts all longer ones");
}

// -- sums ----------------------------------------------------------------------------------------

grammar::BinaryView view(const Borders& borders, const Bytes& bytes, size_t rows) {
  const int32_t* ends = borders.data();
  bool sound = borders.shape(0) == rows + 1 && ends[0] >= 0;
  for (size_t row = 0; row < rows && sound; ++row) sound = ends[row] <= ends[row + 1];
  if (!sound || static_cast<size_t>(ends[rows]) > bytes.shape(0))
    throw io::Error(io::Fault::argument, "a binary column whose borders do not fit");
  return {reinterpret_cast<const char*>(bytes.data()), ends};
}

std::span<const int64_t> numbers(const Numbers& column, size_t rows) {
  if (column.shape(0) != rows) throw io::Error(io::Fault::argument, "columns of unequal length");
  return {column.data(), rows};
}

// All three columns of sentences, or none.
using Sentences = std::optional<Numbers>;

grammar::CountedColumns columns_of(const Borders& source_ends, const Bytes& source,
                                   const Borders& target_ends, const Bytes& target,
                                   const Borders& link_ends, const Bytes& links,
                                   const Numbers& mass, const Borders& origin_ends,
                                   const Bytes& origins, const Sentences& sentences,
                                   const Sentences& source_sentences,
                                   const Sentences& target_sentences) {
  const size_t rows = mass.shape(0);
  if (sentences.has_value() != source_sentences.has_value() ||
      sentences.has_value() != target_sentences.has_value())
    throw io::Error(io::Fault::argument, "all counts of sentences, or none");
  const auto optional = [&](const Sentences& column) {
    return column ? numbers(*column, rows) : std::span<const int64_t>();
  };
  return {view(source_ends, source, rows),
          view(target_ends, target, rows),
          view(link_ends, links, rows),
          view(origin_ends, origins, rows),
          {mass.data(), rows},
          optional(sentences),
          optional(source_sentences),
          optional(target_sentences)};
}

using Summed = nb::typed<nb::tuple, size_t, Buffers, Buffers, Buffers, nb::bytes, Buffers,
                         nb::bytes, nb::bytes, nb::bytes, nb::bytes>;

void bind_sums(nb::module_& m) {
  nb::class_<grammar::RuleSums>(m, "RuleSums",
                                "Sums counted rows of whole target sides, and puts them in order")
      .def(nb::init<uint32_t>(), nb::arg("least"))
      .def("reserve", &grammar::RuleSums::reserve, nb::arg("rows"), nb::arg("bytes"), Unlocked())
      .def(
          "add",
          [](grammar::RuleSums& sums, const Borders& source_ends, const Bytes& source,
             const Borders& target_ends, const Bytes& target, const Borders& link_ends,
             const Bytes& links, const Numbers& mass, const Borders& origin_ends,
             const Bytes& origins, const Sentences& sentences, const Sentences& source_sentences,
             const Sentences& target_sentences) {
            const nb::gil_scoped_release released;
            sums.add(columns_of(source_ends, source, target_ends, target, link_ends, links, mass,
                                origin_ends, origins, sentences, source_sentences,
                                target_sentences));
          },
          nb::arg("source_ends"), nb::arg("source"), nb::arg("target_ends"), nb::arg("target"),
          nb::arg("link_ends"), nb::arg("links"), nb::arg("mass"), nb::arg("origin_ends"),
          nb::arg("origins"), nb::arg("sentences") = nb::none(),
          nb::arg("source_sentences") = nb::none(), nb::arg("target_sentences") = nb::none())
      .def(
          "finish",
          [](grammar::RuleSums& sums) -> Summed {
            const grammar::SummedRows out = unlocked([&] { return sums.finish(); });
            const grammar::RuleColumns& columns = out.columns;
            return nb::make_tuple(columns.rows(), buffers(columns.source), buffers(columns.target),
                                  buffers(columns.links), buffer(columns.mass),
                                  buffers(columns.origins), buffer(out.totals),
                                  buffer(columns.sentences), buffer(columns.source_sentences),
                                  buffer(columns.target_sentences));
          },
          "Rows ascending by source, target and links, with the counts of the targets");
}

// -- scoring -----------------------------------------------------------------------------------

// A scorer with everything that it works on.
struct Scoring {
  grammar::RuleTableBuilder builder;
  grammar::RuleLexicon lexicon;
  grammar::RuleScorer scorer;
  std::optional<grammar::RuleMerge> merge;

  Scoring(const std::string& path, const text::Vocab& source, const text::Vocab& target,
          const align::LexicalTable& table, const grammar::RuleChoice& choice,
          const grammar::RuleExtras& extras, size_t index_memory)
      : builder(path, {"X"}, grammar::RuleScorer::feature_names(extras), source.view(),
                target.view(), index_memory),
        lexicon(table, source.view(), target.view()),
        scorer(builder, lexicon, choice, extras) {}

  grammar::RuleMerge& runs() {
    if (!merge) throw io::Error(io::Fault::argument, "begin first");
    return *merge;
  }
};

void bind_scoring(nb::module_& m) {
  nb::class_<Scoring>(m, "RuleScorer", "Turns sorted, counted rules into a scored table")
      .def(
          "__init__",
          [](Scoring* self, const std::string& path, const text::Vocab& source,
             const text::Vocab& target, const align::LexicalTable& lexical, uint32_t max_targets,
             uint32_t min_sentences, uint32_t min_loose, uint32_t short_loose, double significance,
             int64_t sentences, bool unaligned, bool orientations, bool pay_deletions,
             uint32_t min_composed, size_t index_memory) {
            const nb::gil_scoped_release unlocked;
            new (self) Scoring(path, source, target, lexical,
                               {max_targets, min_sentences, min_loose, short_loose, significance,
                                sentences, min_composed},
                               {unaligned, orientations, pay_deletions}, index_memory);
          },
          nb::arg("path"), nb::arg("source"), nb::arg("target"), nb::arg("lexical"),
          nb::arg("max_targets"), nb::arg("min_sentences"), nb::arg("min_loose"),
          nb::arg("short_loose"), nb::arg("significance"), nb::arg("sentences"),
          nb::arg("unaligned"), nb::arg("orientations"), nb::arg("pay_deletions") = false,
          nb::arg("min_composed") = 1, nb::arg("index_memory") = size_t{64} << 20,
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>())
      .def(
          "begin",
          [](Scoring& scoring, size_t runs,
             const std::optional<std::array<uint64_t, 2 * grammar::kOrientations>>& orientations) {
            if (orientations) scoring.scorer.use_orientations(*orientations);
            scoring.merge.emplace(scoring.scorer, runs);
          },
          nb::arg("runs"), nb::arg("orientations").none(),
          "How many runs of rows will be merged, and all occurrences by orientation")
      .def(
          "next", [](Scoring& scoring) { return scoring.runs().next(); }, Unlocked(),
          "Score until a run has no more rows: which; None where all have ended")
      .def(
          "end", [](Scoring& scoring, size_t run) { scoring.runs().end(run); }, nb::arg("run"),
          "There are no more rows of a run")
      .def(
          "add",
          [](Scoring& scoring, size_t run, const Borders& source_ends, const Bytes& source,
             const Borders& target_ends, const Bytes& target, const Borders& link_ends,
             const Bytes& links, const Numbers& mass, const Borders& origin_ends,
             const Bytes& origins, const Numbers& totals, const Sentences& sentences,
             const Sentences& source_sentences, const Sentences& target_sentences) {
            const nb::gil_scoped_release unlocked;
            scoring.runs().add(run, {columns_of(source_ends, source, target_ends, target, link_ends,
                                                links, mass, origin_ends, origins, sentences,
                                                source_sentences, target_sentences),
                                     numbers(totals, mass.shape(0))});
          },
          nb::arg("run"), nb::arg("source_ends"), nb::arg("source"), nb::arg("target_ends"),
          nb::arg("target"), nb::arg("link_ends"), nb::arg("links"), nb::arg("mass"),
          nb::arg("origin_ends"), nb::arg("origins"), nb::arg("totals"),
          nb::arg("sentences") = nb::none(), nb::arg("source_sentences") = nb::none(),
          nb::arg("target_sentences") = nb::none(),
          "The next rows of a run, ascending by source and target, with the counts of the targets")
      .def(
          "finish",
          [](Scoring& scoring) {
            scoring.scorer.finish();
            scoring.builder.finish();
          },
          Unlocked(), "Write the table")
      .def("__len__", [](const Scoring& scoring) { return scoring.builder.rules(); });
}

// -- rules on demand -----------------------------------------------------------------------------

void bind_lazy(nb::module_& m) {
  nb::class_<grammar::AlignedText>(m, "AlignedText", "See demotic.grammar.LazyRules")
      .def(nb::init<const std::string&, std::optional<bool>>(), nb::arg("path"),
           nb::arg("verify").none() = nb::none(), Unlocked())
      .def_static(
          "write",
          [](const std::string& path, const text::Vocab& source_vocab,
             const text::Vocab& target_vocab, const text::TokenLines& source,
             const text::TokenLines& target, const align::Links& links,
             const grammar::HieroOptions& rules, uint32_t max_targets, uint32_t min_sentences,
             uint32_t min_loose, uint32_t short_loose, bool unaligned, uint32_t sample,
             unsigned threads) {
            const nb::gil_scoped_release released;
            grammar::write_aligned_text(path, source_vocab, target_vocab, source, target, links,
                                        {rules,
                                         {max_targets, min_sentences, min_loose, short_loose},
                                         {unaligned, rules.orientations},
                                         sample},
                                        threads);
          },
          nb::arg("path"), nb::arg("source_vocab"), nb::arg("target_vocab"), nb::arg("source"),
          nb::arg("target"), nb::arg("links"), nb::arg("rules"), nb::arg("max_targets"),
          nb::arg("min_sentences"), nb::arg("min_loose"), nb::arg("short_loose"),
          nb::arg("unaligned"), nb::arg("sample"), nb::arg("threads"))
      .def(
          "find_source_word",
          [](const grammar::AlignedText& text, const std::string& word) {
            return text.source_vocab().find(word);
          },
          nb::arg("word"), "The id of a word; 0 where the text has none")
      .def_prop_ro("sample", [](const grammar::AlignedText& text) { return text.options().sample; })
      .def_prop_ro("source_words",
                   [](const grammar::AlignedText& text) { return text.source().all().size(); })
      .def_prop_ro("target_words",
                   [](const grammar::AlignedText& text) { return text.target().all().size(); })
      .def("__len__", &grammar::AlignedText::size);

  nb::class_<grammar::LazyRules>(m, "LazyRules", "See demotic.grammar.LazyRules")
      .def(nb::init<const grammar::AlignedText&, const align::LexicalTable&, uint32_t>(),
           nb::arg("text"), nb::arg("lexical"), nb::arg("span"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("write", &grammar::LazyRules::write, nb::arg("sentences"), nb::arg("path"),
           nb::arg("threads"), Unlocked(), "A table of the rules that can match these sentences");
}

}  // namespace

void grammar(nb::module_& m) {
  bind_extraction(m);
  bind_items(m);
  bind_sums(m);
  bind_scoring(m);
  bind_lazy(m);
  m.def(
      "fisher_evidence",
      [](int64_t pair, int64_t source, int64_t target, int64_t sentences) {
        return grammar::fisher_evidence({pair, source, target}, sentences);
      },
      nb::arg("pair"), nb::arg("source"), nb::arg("target"), nb::arg("sentences"), Unlocked(),
      "Negative log-probability that a source and a target side share so many sentences by chance");
}

}  // namespace demotic::bind
