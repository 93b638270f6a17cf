#include "decode/sentence_choices.h"

#include <algorithm>
#include <cmath>

namespace demotic::decode {

namespace {

constexpr text::Symbol kNotInTable = -1;

// Stable for any h.
double log_sum(std::span<const double> h) {
  const double most = *std::max_element(h.begin(), h.end());
  double sum = 0;
  for (const double each : h) sum += std::exp(each - most);
  return most + std::log(sum);
}

double cost(double h) { return h > 0 ? std::log1p(std::exp(-h)) : -h + std::log1p(std::exp(h)); }

float bounded(double value) {
  return value >= SentenceChoices::kLeast ? static_cast<float>(std::min(value, 0.0))
                                          : SentenceChoices::kLeast;
}

}  // namespace

ChoiceModel::ChoiceModel(const grammar::WordChoices& choices, const grammar::RuleTable& table)
    : choices_(choices) {
  const text::VocabView words = choices.target(), ids = table.target_vocab();
  symbols_.reserve(words.size());
  for (uint32_t id = 0; id < words.size(); ++id) {
    const uint32_t found = id == text::kUnknown ? text::kUnknown : ids.find(words.word(id));
    symbols_.push_back(found == text::kUnknown ? kNotInTable : static_cast<text::Symbol>(found));
  }
}

SentenceChoices ChoiceModel::score(std::span<const std::string> tokens) const {
  std::vector<uint32_t> words, tags;
  for (const std::string& token : tokens) words.push_back(choices_.source().find(token));
  if (choices_.knows_tags())
    for (const uint32_t word : words) tags.push_back(choices_.tag_of(word));
  SentenceChoices found;
  features::AtomSet set = choices_.atom_set();
  std::vector<double> h;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::span<const uint32_t> targets = choices_.candidates(words[at]).targets;
    found.known_.push_back(words[at] != text::kUnknown && !targets.empty() ? 1 : 0);
    if (found.known_.back() != 0) {
      choices_.score(words, tags, {}, at, set, h);
      const double all = log_sum(h);
      const auto first = static_cast<ptrdiff_t>(found.values_.size());
      for (size_t k = 0; k < targets.size(); ++k)
        if (targets[k] < symbols_.size() && symbols_[targets[k]] != kNotInTable)
          found.values_.push_back(
              {symbols_[targets[k]], {bounded(h[k] - all), bounded(-cost(h[k]))}});
      std::sort(found.values_.begin() + first, found.values_.end(),
                [](const auto& a, const auto& b) { return a.target < b.target; });
    }
    found.ends_.push_back(static_cast<uint32_t>(found.values_.size()));
  }
  return found;
}

ChoiceValues SentenceChoices::of(uint32_t position, text::Symbol target) const {
  if (position >= known_.size() || known_[position] == 0) return {};
  const auto first = values_.begin() + (position == 0 ? 0 : ends_[position - 1]);
  const auto last = values_.begin() + ends_[position];
  const auto found = std::lower_bound(
      first, last, target, [](const Value& value, text::Symbol id) { return value.target < id; });
  if (found == last || found->target != target) return {kLeast, kLeast};
  return {found->values[0], found->values[1]};
}

// Links of a table that was not verified may lead nowhere.
template <class Place>
ChoiceValues SentenceChoices::sum(const grammar::RuleTable& table, uint32_t rule,
                                  Place&& place) const {
  ChoiceValues total{};
  const io::PackedRow<text::Symbol> target = table.target(rule);
  for (const grammar::RuleLink link : table.links(rule)) {
    if (link.target >= target.size() || !text::is_word(target[link.target])) continue;
    const ChoiceValues one = of(place(link.source), target[link.target]);
    for (uint32_t k = 0; k < kChoiceFeatures; ++k) total[k] += one[k];
  }
  return total;
}

ChoiceValues SentenceChoices::of_phrase(const grammar::RuleTable& table, uint32_t rule,
                                        uint32_t begin) const {
  return sum(table, rule, [&](uint8_t source) { return begin + source; });
}

ChoiceValues SentenceChoices::of_rule(const grammar::RuleTable& table, uint32_t rule,
                                      std::span<const uint32_t> places) const {
  return sum(table, rule,
             [&](uint8_t source) { return source < places.size() ? places[source] : kNoPlace; });
}

}  // namespace demotic::decode
