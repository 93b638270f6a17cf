#include "grammar/word_choices.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind/arrays.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::bind {

namespace {

using features::SourceAtoms;
using grammar::WordChoices;

// Rows of the tokens asked for; `ends` are those of sentences, `places` count through all tokens.
nb::tuple source_atoms(const SourceAtoms& atoms, const Input<uint32_t>& ids,
                       const Input<uint64_t>& ends, const Input<uint32_t>& tags,
                       const Input<uint64_t>& places) {
  const auto words = span_of(ids);
  const auto borders = span_of(ends);
  const auto tagged = span_of(tags);
  const auto asked = span_of(places);
  std::vector<uint64_t> begins{0};
  std::vector<uint32_t> all;
  unlocked([&] {
    const auto require = [](bool holds, const char* message) {
      if (!holds) throw io::Error(io::Fault::argument, message);
    };
    require(std::is_sorted(borders.begin(), borders.end()) &&
                (borders.empty() ? 0 : borders.back()) == words.size(),
            "the ends of sentences do not fit their words");
    require(tagged.empty() || tagged.size() == words.size(), "each word needs a tag");
    require(std::is_sorted(asked.begin(), asked.end()) &&
                (asked.empty() || asked.back() < words.size()),
            "places must rise, and be places of words");
    require(atoms.size() < UINT32_MAX / 2, "too many atoms");
    size_t sentence = 0;
    for (const uint64_t place : asked) {
      while (borders[sentence] <= place) ++sentence;
      const uint64_t first = sentence == 0 ? 0 : borders[sentence - 1];
      const size_t length = borders[sentence] - first;
      atoms.add(words.subspan(first, length),
                tagged.empty() ? tagged : tagged.subspan(first, length), place - first, all);
      begins.push_back(all.size());
    }
  });
  return nb::make_tuple(numpy(std::move(begins)), numpy(std::move(all)));
}

const char* name_of(SourceAtoms::Kind kind) {
  switch (kind) {
    case SourceAtoms::Kind::word_at:
      return "word_at";
    case SourceAtoms::Kind::tag_at:
      return "tag_at";
    case SourceAtoms::Kind::word:
      return "word";
    case SourceAtoms::Kind::tag:
      return "tag";
    default:
      return "other";
  }
}

std::vector<std::string> words_in(text::VocabView vocab) {
  std::vector<std::string> all;
  for (uint32_t id = 0; id < vocab.size(); ++id) all.emplace_back(vocab.word(id));
  return all;
}

}  // namespace

void word_choices(nb::module_& m) {
  nb::class_<SourceAtoms>(m, "SourceAtoms", "Atoms of a word in its sentence")
      .def(
          "__init__",
          [](SourceAtoms* self, uint32_t words, uint32_t tags, bool window, bool cooccurrence) {
            new (self) SourceAtoms{words, tags, window, cooccurrence};
          },
          nb::arg("words"), nb::arg("tags"), nb::arg("window"), nb::arg("cooccurrence"))
      .def("__len__", &SourceAtoms::size)
      .def("rows", &source_atoms, nb::arg("ids").noconvert(), nb::arg("ends").noconvert(),
           nb::arg("tags").noconvert(), nb::arg("places").noconvert())
      .def(
          "what",
          [](const SourceAtoms& atoms, uint32_t atom) {
            const SourceAtoms::What what = atoms.what(atom);
            return nb::make_tuple(name_of(what.kind), what.place, what.id);
          },
          nb::arg("atom"));

  nb::class_<WordChoices>(m, "WordChoices", "See demotic.transduce.WordTransducer")
      .def(nb::init<const std::string&, std::optional<bool>>(), nb::arg("path"),
           nb::arg("verify").none(), Unlocked())
      .def_static(
          "save",
          [](const std::string& path, bool window, bool cooccurrence, double lambda,
             const text::Vocab& source, const text::Vocab& target, const text::Vocab& tags,
             const text::Vocab& others, const Input<uint32_t>& tag_of,
             const Input<uint64_t>& candidate_ends, const Input<uint32_t>& candidates,
             const Input<uint32_t>& counts, const Input<uint64_t>& firsts,
             const features::TreeEnsembles& trees) {
            const WordChoices::Content content{window,
                                               cooccurrence,
                                               lambda,
                                               source.view(),
                                               target.view(),
                                               tags.view(),
                                               others.view(),
                                               span_of(tag_of),
                                               span_of(candidate_ends),
                                               span_of(candidates),
                                               span_of(counts),
                                               span_of(firsts),
                                               trees.view()};
            unlocked([&] { WordChoices::save(path, content); });
          },
          nb::arg("path"), nb::arg("window"), nb::arg("cooccurrence"), nb::arg("lambda_"),
          nb::arg("source"), nb::arg("target"), nb::arg("tags"), nb::arg("others"),
          nb::arg("tag_of").noconvert(), nb::arg("candidate_ends").noconvert(),
          nb::arg("candidates").noconvert(), nb::arg("counts").noconvert(),
          nb::arg("firsts").noconvert(), nb::arg("trees"))
      .def_prop_ro("window", [](const WordChoices& w) { return w.atoms().window; })
      .def_prop_ro("cooccurrence", [](const WordChoices& w) { return w.atoms().cooccurrence; })
      .def_prop_ro("lambda_", &WordChoices::lambda)
      .def_prop_ro("knows_tags", &WordChoices::knows_tags)
      .def("source_words",
           [](const WordChoices& w) { return unlocked([&] { return words_in(w.source()); }); })
      .def("target_words",
           [](const WordChoices& w) { return unlocked([&] { return words_in(w.target()); }); })
      .def("tag_words",
           [](const WordChoices& w) { return unlocked([&] { return words_in(w.tags()); }); })
      .def("other_words",
           [](const WordChoices& w) { return unlocked([&] { return words_in(w.others()); }); })
      .def(
          "find_source",
          [](const WordChoices& w, std::string_view word) { return w.source().find(word); },
          nb::arg("word"))
      .def(
          "target_word",
          [](const WordChoices& w, uint32_t id) { return std::string(w.target().word(id)); },
          nb::arg("id"))
      .def("tag_of", &WordChoices::tag_of, nb::arg("word"))
      .def(
          "candidates",
          [](const WordChoices& w, uint32_t word) {
            const WordChoices::Candidates own = w.candidates(word);
            return nb::make_tuple(std::vector<uint32_t>(own.targets.begin(), own.targets.end()),
                                  std::vector<uint32_t>(own.counts.begin(), own.counts.end()),
                                  own.first_classifier);
          },
          nb::arg("word"))
      .def_prop_ro("trees",
                   [](const WordChoices& w) { return features::TreeEnsembles(*w.trees()); })
      .def(
          "scores",
          [](const WordChoices& w, const std::vector<uint32_t>& sentence,
             const std::vector<uint32_t>& tags, const std::vector<std::vector<uint32_t>>& others) {
            std::vector<std::vector<double>> all(sentence.size());
            unlocked([&] {
              features::AtomSet set = w.atom_set();
              for (size_t at = 0; at < sentence.size(); ++at)
                w.score(sentence, tags, at < others.size() ? others[at] : std::vector<uint32_t>(),
                        at, set, all[at]);
            });
            return all;
          },
          nb::arg("sentence"), nb::arg("tags"), nb::arg("others"),
          "h of each candidate at each place");
}

}  // namespace demotic::bind
