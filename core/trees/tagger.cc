#include "trees/tagger.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

constexpr uint32_t kPlaceFeatures = 16;  // of a word and its neighbours
constexpr uint32_t kFeatures = kPlaceFeatures + 4;
constexpr uint32_t kStart = UINT32_MAX;  // the tag before the first word

uint64_t hash_of(uint64_t kind, std::string_view text) {
  return io::mix64(io::checksum64(text.data(), text.size()) + kind * 0x9e3779b97f4a7c15ull);
}

uint64_t hash_of(uint64_t kind, uint64_t a, uint64_t b = 0) {
  return io::mix64(io::mix64(a + kind * 0x9e3779b97f4a7c15ull) ^ (b * 0xc2b2ae3d27d4eb4full));
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The last `count` characters, or all of them.
std::string_view suffix(std::string_view word, uint32_t count) {
  size_t at = word.size();
  for (; count > 0 && at > 0; --count) do
      --at;
    while (at > 0 && continues(word[at]));
  return word.substr(at);
}

std::string_view prefix(std::string_view word, uint32_t count) {
  size_t at = 0;
  for (; count > 0 && at < word.size(); --count) do
      ++at;
    while (at < word.size() && continues(word[at]));
  return word.substr(0, at);
}

std::string lower(std::string_view word) {
  std::string made(word);
  for (char& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

// Which kinds of characters a word has, and whether the first is a capital.
uint64_t shape(std::string_view word) {
  uint64_t found = 0;
  for (const char c : word) {
    if (c >= '0' && c <= '9') found |= 1;
    if (c == '-') found |= 2;
    if (c >= 'A' && c <= 'Z') found |= 4;
    if (c >= 'a' && c <= 'z') found |= 8;
    if (static_cast<unsigned char>(c) >= 0x80) found |= 16;
    if (c == '.') found |= 64;
  }
  if (!word.empty() && word[0] >= 'A' && word[0] <= 'Z') found |= 32;
  return found;
}

std::vector<uint64_t> place_features(std::span<const std::string> words) {
  const auto size = static_cast<int64_t>(words.size());
  std::vector<std::string> folded;
  for (const std::string& word : words) folded.push_back(lower(word));
  const std::string edge = "\x01";
  const auto at = [&](int64_t k) -> const std::string& {
    return k < 0 || k >= size ? edge : folded[static_cast<size_t>(k)];
  };
  std::vector<uint64_t> found;
  found.reserve(words.size() * kPlaceFeatures);
  for (int64_t k = 0; k < size; ++k) {
    const std::string& word = words[static_cast<size_t>(k)];
    const std::string& plain = at(k);
    const size_t before = found.size();
    found.push_back(hash_of(1, word));
    found.push_back(hash_of(2, plain));
    for (uint32_t length = 1; length <= 4; ++length)
      found.push_back(hash_of(2 + length, suffix(plain, length)));
    found.push_back(hash_of(7, prefix(plain, 1)));
    found.push_back(hash_of(8, prefix(plain, 3)));
    found.push_back(hash_of(9, shape(word), k == 0));
    found.push_back(hash_of(10, at(k - 1)));
    found.push_back(hash_of(11, suffix(at(k - 1), 3)));
    found.push_back(hash_of(12, at(k - 2)));
    found.push_back(hash_of(13, at(k + 1)));
    found.push_back(hash_of(14, suffix(at(k + 1), 3)));
    found.push_back(hash_of(15, at(k + 2)));
    found.push_back(hash_of(16, k + 1 < size ? shape(words[static_cast<size_t>(k + 1)]) : 1024,
                            k > 0 ? shape(words[static_cast<size_t>(k - 1)]) : 1024));
    if (found.size() - before != kPlaceFeatures) throw io::Error(io::Fault::argument, "features");
  }
  return found;
}

// All features of a word, those of its place given.
void features_at(std::span<const uint64_t> place, uint64_t word, uint32_t previous, uint32_t second,
                 std::span<uint64_t> found) {
  std::copy(place.begin(), place.end(), found.begin());
  found[kPlaceFeatures] = hash_of(20, previous);
  found[kPlaceFeatures + 1] = hash_of(21, previous, second + 1ull);
  found[kPlaceFeatures + 2] = hash_of(22, previous, word);
  found[kPlaceFeatures + 3] = hash_of(23, 0);
}

uint32_t best_of(std::span<const float> scores) {
  return static_cast<uint32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::vector<uint64_t> word_hashes(std::span<const std::string> words) {
  std::vector<uint64_t> found;
  for (const std::string& word : words) found.push_back(hash_of(30, lower(word)));
  return found;
}

}  // namespace

Tagger::Tagger(TaggerContent content) : content_(std::move(content)) {
  if (content_.tags == 0 || content_.weights.size() != content_.keys.size() * content_.tags)
    throw io::Error(io::Fault::corrupt, "a tagger whose weights do not fit its features");
  for (float& weight : content_.weights)
    if (!(std::abs(weight) < 1e6f)) weight = 0.0f;
  rows_.reserve(content_.keys.size());
  for (uint32_t row = 0; row < content_.keys.size(); ++row)
    rows_.find_or_add(content_.keys[row], row,
                      [&](uint32_t i) { return content_.keys[i] == content_.keys[row]; });
}

std::vector<uint32_t> Tagger::tag(std::span<const std::string> words) const {
  const std::vector<uint64_t> places = place_features(words), hashes = word_hashes(words);
  std::vector<uint64_t> here(kFeatures);
  std::vector<float> scores(content_.tags);
  std::vector<uint32_t> found;
  uint32_t previous = kStart, second = kStart;
  for (size_t k = 0; k < words.size(); ++k) {
    features_at(std::span(places).subspan(k * kPlaceFeatures, kPlaceFeatures), hashes[k], previous,
                second, here);
    std::fill(scores.begin(), scores.end(), 0.0f);
    for (const uint64_t key : here) {
      const uint32_t row = rows_.find(key, [&](uint32_t i) { return content_.keys[i] == key; });
      if (row == HashIndex::kNone) continue;
      const float* const weights = content_.weights.data() + size_t{row} * content_.tags;
      for (uint32_t tag = 0; tag < content_.tags; ++tag) scores[tag] += weights[tag];
    }
    second = previous;
    previous = best_of(scores);
    found.push_back(previous);
  }
  return found;
}

void TaggerLearner::add(const std::vector<std::string>& words, const std::vector<uint32_t>& tags) {
  if (words.size() != tags.size())
    throw io::Error(io::Fault::argument, "a sentence needs a tag for each word");
  for (const uint32_t tag : tags)
    if (tag >= tags_) throw io::Error(io::Fault::argument, "there is no such tag");
  places_.push_back(place_features(words));
  words_.push_back(word_hashes(words));
  gold_.push_back(tags);
}

Tagger TaggerLearner::learn(uint32_t passes, uint64_t seed) const {
  TaggerContent made{tags_, {}, {}};
  std::vector<double> sums;  // of each change times the steps before it
  HashIndex rows;
  std::vector<uint32_t> order(gold_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<uint64_t> here(kFeatures);
  std::vector<uint32_t> found(kFeatures);
  std::vector<float> scores(tags_);
  double steps = 0;
  uint64_t chance = io::mix64(seed + 1);
  for (uint32_t pass = 0; pass < passes; ++pass) {
    for (size_t i = order.size(); i > 1; --i) {
      chance = io::mix64(chance + 0x9e3779b97f4a7c15ull);
      std::swap(order[i - 1], order[chance % i]);
    }
    for (const uint32_t sentence : order) {
      uint32_t previous = kStart, second = kStart;
      for (size_t k = 0; k < gold_[sentence].size(); ++k) {
        steps += 1;
        features_at(std::span(places_[sentence]).subspan(k * kPlaceFeatures, kPlaceFeatures),
                    words_[sentence][k], previous, second, here);
        std::fill(scores.begin(), scores.end(), 0.0f);
        for (uint32_t f = 0; f < kFeatures; ++f) {
          found[f] = rows.find(here[f], [&](uint32_t i) { return made.keys[i] == here[f]; });
          if (found[f] == HashIndex::kNone) continue;
          const float* const weights = made.weights.data() + size_t{found[f]} * tags_;
          for (uint32_t tag = 0; tag < tags_; ++tag) scores[tag] += weights[tag];
        }
        const uint32_t guess = best_of(scores), gold = gold_[sentence][k];
        if (guess != gold) {
          for (uint32_t f = 0; f < kFeatures; ++f) {
            uint32_t row = found[f];
            if (row == HashIndex::kNone) {
              const auto next = static_cast<uint32_t>(made.keys.size());
              row = rows.find_or_add(here[f], next,
                                     [&](uint32_t i) { return made.keys[i] == here[f]; });
              if (row == next) {
                made.keys.push_back(here[f]);
                made.weights.resize(made.weights.size() + tags_, 0.0f);
                sums.resize(sums.size() + tags_, 0.0);
              }
            }
            const size_t at = size_t{row} * tags_;
            made.weights[at + gold] += 1.0f;
            made.weights[at + guess] -= 1.0f;
            sums[at + gold] += steps;
            sums[at + guess] -= steps;
          }
        }
        second = previous;
        previous = guess;
      }
    }
  }
  for (size_t i = 0; i < sums.size(); ++i)
    made.weights[i] = static_cast<float>(made.weights[i] - sums[i] / (steps + 1));
  return Tagger(std::move(made));
}

}  // namespace demotic::trees
