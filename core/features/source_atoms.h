// Binary features (atoms) of a word in its sentence, numbered without a dictionary.
//
//   SourceAtoms atoms{words, tags, window, cooccurrence};   sizes of the vocabularies
//   atoms.add(sentence, tags_of_it, at, out);               of the word at that place
//   atoms.size()                                            others may be numbered from here on
//   atoms.what(atom)                                        back again: which kind, place and id
//
// Window: word and tag at -2 ... +2, what is outside being a word and a tag of its own.
// Co-occurrence: every word and every tag of the sentence, wherever it stands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace demotic::features {

struct SourceAtoms {
  static constexpr int kReach = 2;
  static constexpr uint32_t kPlaces = 2 * kReach + 1;

  uint32_t words = 0;  // of the vocabulary, the unknown one among them
  uint32_t tags = 0;   // 0: there are none
  bool window = true;
  bool cooccurrence = false;

  enum class Kind : uint32_t { word_at, tag_at, word, tag, other };
  struct What {
    Kind kind;
    int place;    // of the first two
    uint32_t id;  // words or tags: what is outside; of others: counted from size()
  };

  uint64_t tags_begin() const { return window ? uint64_t{kPlaces} * (words + uint64_t{1}) : 0; }
  uint64_t words_begin() const {
    return tags_begin() + (window && tags > 0 ? uint64_t{kPlaces} * (tags + uint64_t{1}) : 0);
  }
  uint64_t size() const {
    return words_begin() + (cooccurrence ? uint64_t{words} + tags : uint64_t{0});
  }

  // Ids that are too large are taken for unknown ones; `tags_of_it` is empty where there are none.
  void add(std::span<const uint32_t> sentence, std::span<const uint32_t> tags_of_it, size_t at,
           std::vector<uint32_t>& out) const {
    const auto word = [&](size_t i) { return sentence[i] < words ? sentence[i] : 0; };
    const auto tag = [&](size_t i) { return tags_of_it[i] < tags ? tags_of_it[i] : 0; };
    const bool tagged = tags > 0 && tags_of_it.size() == sentence.size();
    const auto put = [&](uint64_t atom) { out.push_back(static_cast<uint32_t>(atom)); };
    if (window) {
      for (uint32_t k = 0; k < kPlaces; ++k) {
        const bool inside = at + k >= kReach && at + k - kReach < sentence.size();
        const size_t i = inside ? at + k - kReach : 0;
        put(uint64_t{k} * (words + uint64_t{1}) + (inside ? word(i) : words));
        if (tagged)
          put(tags_begin() + uint64_t{k} * (tags + uint64_t{1}) + (inside ? tag(i) : tags));
      }
    }
    if (!cooccurrence) return;
    for (size_t i = 0; i < sentence.size(); ++i) {
      put(words_begin() + word(i));
      if (tagged) put(words_begin() + words + tag(i));
    }
  }

  What what(uint32_t atom) const {
    if (atom >= size()) return {Kind::other, 0, static_cast<uint32_t>(atom - size())};
    if (atom >= words_begin()) {
      const auto id = static_cast<uint32_t>(atom - words_begin());
      return id < words ? What{Kind::word, 0, id} : What{Kind::tag, 0, id - words};
    }
    const bool of_tags = atom >= tags_begin();
    const auto rest = static_cast<uint32_t>(of_tags ? atom - tags_begin() : atom);
    const uint32_t width = (of_tags ? tags : words) + 1;
    return {of_tags ? Kind::tag_at : Kind::word_at, static_cast<int>(rest / width) - kReach,
            rest % width};
  }
};

}  // namespace demotic::features
