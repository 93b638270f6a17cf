#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "grammar/block_extraction.h"
#include "grammar/block_pairs.h"
#include "grammar/block_set.h"
#include "grammar/block_table.h"
#include "text/token_lines.h"

namespace demotic::bind {

namespace {

template <class T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

// -- the table -----------------------------------------------------------------------------------

uint32_t block_index(const grammar::BlockTable& table, uint32_t block) {
  if (block >= table.blocks()) throw nb::index_error("no such block");
  return block;
}

void bind_table(nb::module_& m) {
  nb::class_<grammar::BlockTable>(m, "BlockTable", "See demotic.grammar.BlockTable")
      .def(
          "__init__",
          [](grammar::BlockTable* self, const std::string& path, std::optional<bool> verify) {
            const nb::gil_scoped_release unlocked;
            new (self) grammar::BlockTable(grammar::BlockTable::open(path, verify));
          },
          nb::arg("path"), nb::arg("verify") = nb::none())
      .def(nb::init<const grammar::BlockTable&>(), nb::arg("table"))
      .def("save_binary", &grammar::BlockTable::save, nb::arg("path"), Unlocked())
      .def("__len__", &grammar::BlockTable::blocks)
      .def_prop_ro("phrases", &grammar::BlockTable::phrases, "Different source phrases")
      .def_prop_ro("fingerprint",
                   [](const grammar::BlockTable& t) { return t.totals().fingerprint; })
      .def_prop_ro("total", [](const grammar::BlockTable& t) { return t.totals().count; })
      .def_prop_ro("left_total", [](const grammar::BlockTable& t) { return t.totals().left; })
      .def_prop_ro("right_total", [](const grammar::BlockTable& t) { return t.totals().right; })
      .def_prop_ro("max_words", [](const grammar::BlockTable& t) { return t.totals().max_words; })
      .def_prop_ro("lexical_kind",
                   [](const grammar::BlockTable& t) {
                     return t.totals().lexical == grammar::LexicalKind::literal ? "literal"
                                                                                : "koehn";
                   })
      .def_prop_ro(
          "length_totals",
          [](const grammar::BlockTable& t) {
            const nb::gil_scoped_release unlocked;
            std::vector<uint64_t> sums(t.totals().max_words + size_t{1}, 0);
            for (uint32_t p = 0; p < t.phrases(); ++p)
              if (const size_t size = t.source(p).size(); size < sums.size())
                for (const uint32_t b : t.blocks_of(p)) sums[size] += t.count(b);
            return sums;
          },
          "Sums of N(b) by the number of source words")
      .def(
          "source_word",
          [](const grammar::BlockTable& t, uint32_t id) { return t.source_vocab().word(id); },
          nb::arg("id"))
      .def(
          "target_word",
          [](const grammar::BlockTable& t, uint32_t id) { return t.target_vocab().word(id); },
          nb::arg("id"))
      .def(
          "find_source_word",
          [](const grammar::BlockTable& t, std::string_view word) {
            return t.source_vocab().find(word);
          },
          nb::arg("word"), "The word's id, or 0")
      .def(
          "source_ids",
          [](const grammar::BlockTable& t, uint32_t block) {
            return copy(t.source(t.phrase_of(block_index(t, block))));
          },
          nb::arg("block"))
      .def(
          "target_ids",
          [](const grammar::BlockTable& t, uint32_t block) {
            return copy(t.target(block_index(t, block)));
          },
          nb::arg("block"))
      .def(
          "origins",
          [](const grammar::BlockTable& t, uint32_t block) {
            return copy(t.origins(block_index(t, block)));
          },
          nb::arg("block"))
      .def(
          "count",
          [](const grammar::BlockTable& t, uint32_t block) {
            return t.count(block_index(t, block));
          },
          nb::arg("block"), "N(b)")
      .def(
          "left",
          [](const grammar::BlockTable& t, uint32_t block) {
            return t.left(block_index(t, block));
          },
          nb::arg("block"), "N_L(b)")
      .def(
          "right",
          [](const grammar::BlockTable& t, uint32_t block) {
            return t.right(block_index(t, block));
          },
          nb::arg("block"), "N_R(b)")
      .def(
          "lexical",
          [](const grammar::BlockTable& t, uint32_t block) {
            return t.lexical(block_index(t, block));
          },
          nb::arg("block"), "-ln p(S|T)")
      .def(
          "find",
          [](const grammar::BlockTable& t, const std::vector<uint32_t>& source) {
            const uint32_t phrase = source.empty() ? grammar::kNoPhrase : t.find(source);
            if (phrase == grammar::kNoPhrase) return std::tuple(0u, 0u);
            return std::tuple(t.first_block(phrase), t.last_block(phrase));
          },
          nb::arg("source"), "First block of a source phrase, and one past its last")
      .def(
          "encode_source",
          [](const grammar::BlockTable& t, nb::bytes text, text::TokenLines& lines) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            encode(view, t.source_vocab(), lines);
          },
          nb::arg("text"), nb::arg("lines"), "Append lines of text as the table's ids")
      .def(
          "encode_target",
          [](const grammar::BlockTable& t, nb::bytes text, text::TokenLines& lines) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            encode(view, t.target_vocab(), lines);
          },
          nb::arg("text"), nb::arg("lines"), "Append lines of text as the table's ids")
      .def(
          "with_orientation",
          [](const grammar::BlockTable& t, Input<uint32_t> left, Input<uint32_t> right) {
            const nb::gil_scoped_release unlocked;
            return t.with_orientation(copy_of(left), copy_of(right));
          },
          nb::arg("left").noconvert(), nb::arg("right").noconvert())
      .def(
          "filtered",
          [](const grammar::BlockTable& t, const std::vector<std::string>& sentences) {
            std::vector<uint32_t> kept;
            grammar::BlockTable small = unlocked([&] { return t.filtered(sentences, kept); });
            return nb::make_tuple(std::move(small), numpy(std::move(kept)));
          },
          nb::arg("sentences"), "The blocks that some sentence can use, and their old numbers");
}

// -- extraction ----------------------------------------------------------------------------------

grammar::LexicalKind lexical_named(const std::string& name) {
  if (name == "literal") return grammar::LexicalKind::literal;
  if (name == "koehn") return grammar::LexicalKind::koehn;
  throw io::Error(io::Fault::argument, "there is no lexical weight '" + name + "'", 0,
                  "literal or koehn");
}

void bind_extraction(nb::module_& m) {
  nb::class_<grammar::BlockExtraction>(m, "BlockExtraction", "Extracts and counts blocks")
      .def(nb::init<uint32_t, uint32_t>(), nb::arg("max_words"), nb::arg("longest"))
      .def("run", &grammar::BlockExtraction::run, nb::arg("source"), nb::arg("target"),
           nb::arg("links"), nb::arg("all").none(), nb::arg("begin"), nb::arg("end"),
           nb::arg("threads"), Unlocked(),
           "Extract from the sentence pairs from begin up to end; `all` asks for projection")
      .def(
          "finish",
          [](grammar::BlockExtraction& extraction, const text::Vocab& source,
             const text::Vocab& target, uint32_t min_count, bool keep_lone,
             const std::string& lexical, unsigned threads) {
            const grammar::LexicalKind kind = lexical_named(lexical);
            const nb::gil_scoped_release unlocked;
            return extraction.finish(
                source, target, {.min_count = min_count, .keep_lone = keep_lone, .lexical = kind},
                threads);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("min_count"), nb::arg("keep_lone"),
          nb::arg("lexical"), nb::arg("threads"))
      .def_prop_ro("occurrences", &grammar::BlockExtraction::occurrences)
      .def_prop_ro("skipped", &grammar::BlockExtraction::skipped);
}

// -- pairs
// ------------------------------------------------------------------------------------------

void bind_pairs(nb::module_& m) {
  nb::class_<grammar::BlockPairs>(m, "BlockPairs", "See demotic.grammar.BlockPairs")
      .def(
          "__init__",
          [](grammar::BlockPairs* self, Input<uint64_t> keys, Input<float> weights,
             uint64_t fingerprint) {
            const nb::gil_scoped_release unlocked;
            new (self) grammar::BlockPairs(copy_of(keys), copy_of(weights), fingerprint);
          },
          nb::arg("keys").noconvert(), nb::arg("weights").noconvert(), nb::arg("fingerprint"))
      .def_static("open", &grammar::BlockPairs::open, nb::arg("path"), Unlocked())
      .def("save_binary", &grammar::BlockPairs::save, nb::arg("path"), Unlocked())
      .def("__len__", &grammar::BlockPairs::size)
      .def("find", &grammar::BlockPairs::find, nb::arg("previous"), nb::arg("block"))
      .def_prop_ro("fingerprint", &grammar::BlockPairs::fingerprint)
      .def_prop_ro(
          "keys",
          [](const grammar::BlockPairs& p) {
            return numpy(unlocked([&] { return copy(p.keys()); }));
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "weights",
          [](const grammar::BlockPairs& p) {
            return numpy(unlocked([&] { return copy(p.weights()); }));
          },
          nb::rv_policy::move)
      .def("check_table", &grammar::BlockPairs::check_table, nb::arg("table"))
      .def(
          "with_weights",
          [](const grammar::BlockPairs& p, Input<float> weights) {
            const nb::gil_scoped_release unlocked;
            return p.with_weights(copy_of(weights));
          },
          nb::arg("weights").noconvert())
      .def(
          "filtered",
          [](const grammar::BlockPairs& p, Input<uint32_t> kept, uint64_t fingerprint) {
            const nb::gil_scoped_release unlocked;
            return p.filtered({kept.data(), kept.shape(0)}, fingerprint);
          },
          nb::arg("kept").noconvert(), nb::arg("fingerprint"));
}

}  // namespace

void blocks(nb::module_& m) {
  m.attr("BEGIN_BLOCK") = grammar::kBeginBlock;
  m.attr("NO_PAIR") = grammar::kNoPair;
  bind_table(m);
  bind_extraction(m);
  bind_pairs(m);
}

}  // namespace demotic::bind
