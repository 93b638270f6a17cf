#include "grammar/rule_scorer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "grammar/hiero_extract.h"
#include "grammar/rule_key.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

std::vector<uint32_t> ids_of(text::VocabView words, auto&& id_of) {
  std::vector<uint32_t> ids(words.size());
  for (uint32_t id = 0; id < words.size(); ++id) ids[id] = id_of(words.word(id));
  return ids;
}

float log_floored(double probability) {
  return static_cast<float>(std::log(std::max(probability, RuleScorer::kFloor)));
}

float whole(int64_t mass) {
  return static_cast<float>(static_cast<double>(mass) / static_cast<double>(kUnitMass));
}

}  // namespace

// -- lexical weights ---------------------------------------------------------------------------

RuleLexicon::RuleLexicon(const align::LexicalTable& table, text::VocabView source,
                         text::VocabView target)
    : table_(table),
      source_ids_(ids_of(source, [&](std::string_view word) { return table.source_id(word); })),
      target_ids_(ids_of(target, [&](std::string_view word) { return table.target_id(word); })) {}

RuleLexicon::Weights RuleLexicon::weights(std::span<const text::Symbol> source,
                                          std::span<const text::Symbol> target,
                                          std::span<const RuleLink> links) const {
  // `mean(place)` over the links of each word of a side; no word weighs less than the floor.  Logs
  // are added only where the product would underflow.
  const auto product = [&](std::span<const text::Symbol> side, auto&& place, auto&& probability,
                           auto&& of_null) {
    double all = 1, logs = 0;
    for (size_t at = 0; at < side.size(); ++at) {
      if (!text::is_word(side[at])) continue;
      double sum = 0;
      uint32_t count = 0;
      for (const RuleLink& link : links) {
        if (place(link) != at) continue;
        sum += probability(link);
        ++count;
      }
      const double factor =
          std::max(RuleScorer::kFloor, count == 0 ? of_null(side[at]) : sum / count);
      if (all * factor < std::numeric_limits<double>::min())
        logs += std::log(std::exchange(all, 1));
      all *= factor;
    }
    return logs + std::log(all);
  };
  const auto f = [&](const RuleLink& link) { return source_ids_[source[link.source]]; };
  const auto e = [&](const RuleLink& link) { return target_ids_[target[link.target]]; };
  return {product(
              target, [](const RuleLink& link) { return link.target; },
              [&](const RuleLink& link) { return table_.target_given_source(f(link), e(link)); },
              [&](text::Symbol word) {
                return table_.target_given_source(align::kNull, target_ids_[word]);
              }),
          product(
              source, [](const RuleLink& link) { return link.source; },
              [&](const RuleLink& link) { return table_.source_given_target(f(link), e(link)); },
              [&](text::Symbol word) {
                return table_.source_given_target(source_ids_[word], align::kNull);
              })};
}

double RuleLexicon::deletion(std::span<const text::Symbol> source) const {
  double logs = 0;
  for (const text::Symbol word : source)
    if (text::is_word(word))
      logs += std::log(std::max(RuleScorer::kFloor,
                                table_.target_given_source(source_ids_[word], align::kNull)));
  return logs;
}

bool RuleLexicon::knows(std::span<const text::Symbol> source, std::span<const text::Symbol> target,
                        std::span<const RuleLink> links) const {
  const auto beyond = [](size_t words) {
    return [words](text::Symbol symbol) {
      return text::is_word(symbol) && static_cast<size_t>(symbol) >= words;
    };
  };
  return std::none_of(source.begin(), source.end(), beyond(source_ids_.size())) &&
         std::none_of(target.begin(), target.end(), beyond(target_ids_.size())) &&
         std::all_of(links.begin(), links.end(), [&](const RuleLink& link) {
           return link.source < source.size() && text::is_word(source[link.source]) &&
                  link.target < target.size() && text::is_word(target[link.target]);
         });
}

// -- merging -----------------------------------------------------------------------------------

std::vector<std::string> RuleScorer::feature_names(const RuleExtras& extras) {
  std::vector<std::string> names{
      "TargetGivenSource",        "SourceGivenTarget", "LexicalTargetGivenSource",
      "LexicalSourceGivenTarget", "SeenOnce",          "SeenTwice"};
  if (extras.unaligned) names.insert(names.end(), {"Deleted", "Inserted"});
  if (extras.orientations)
    names.insert(names.end(), orientation_names().begin(), orientation_names().end());
  return names;
}

const std::vector<std::string>& RuleScorer::orientation_names() {
  static const std::vector<std::string> names{"MonotonePrevious", "SwapPrevious", "OtherPrevious",
                                              "MonotoneNext",     "SwapNext",     "OtherNext"};
  return names;
}

void RuleScorer::use_orientations(const std::array<uint64_t, 2 * kOrientations>& counts) {
  for (size_t side = 0; side < counts.size(); side += kOrientations) {
    double total = 0;
    for (size_t o = 0; o < kOrientations; ++o) total += static_cast<double>(counts[side + o]) + 1;
    for (size_t o = 0; o < kOrientations; ++o)
      shares_[side + o] = (static_cast<double>(counts[side + o]) + 1) / total;
  }
}

RuleScorer::RuleScorer(RuleTableBuilder& out, const RuleLexicon& lexicon, const RuleChoice& choice,
                       const RuleExtras& extras)
    : out_(out), lexicon_(lexicon), choice_(choice), extras_(extras) {
  for (const auto& [name, least] :
       {std::pair{"min_sentences", choice.min_sentences}, std::pair{"min_loose", choice.min_loose},
        std::pair{"min_composed", choice.min_composed}})
    if (least < 1 || least > kOrigins)
      throw io::Error(io::Fault::argument,
                      std::string(name) + " must be from 1 to " + std::to_string(kOrigins));
}

RuleScorer::Bytes RuleScorer::keep(std::string_view bytes) {
  const Bytes at{bytes_.size(), static_cast<uint32_t>(bytes.size())};
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return at;
}

void RuleScorer::add(std::string_view source, std::string_view target, std::string_view links,
                     int64_t mass, std::string_view origins, int64_t target_total,
                     const SentenceCounts& sentences) {
  if (!open_ || source != std::string_view(source_.data(), source_.size())) {
    end_source();
    source_.assign(source.begin(), source.end());
    open_ = true;
  }
  if (target_total == 0) {
    left_out_ += mass;
    left_out_sentences_ += sentences.source;
    return;
  }
  if (candidates_.empty() || target != view(candidates_.back().target)) {
    end_target();
    candidates_.push_back({keep(target), {}, 0, target_total, {}, {}, {}});
  }
  Candidate& candidate = candidates_.back();
  candidate.mass += mass;
  candidate.sentences.pair += sentences.pair;
  candidate.sentences.source += sentences.source;
  candidate.sentences.target = sentences.target;
  if (links.size() % 2 != 0) {
    const auto both = static_cast<uint8_t>(links.back() - 1);
    links.remove_suffix(1);
    if (both < kOrientations * kOrientations) {
      candidate.orientations[both / kOrientations] += mass;
      candidate.orientations[kOrientations + both % kOrientations] += mass;
    }
  }
  candidate.origins.merge(origins);
  for (Variant& variant : variants_)
    if (view(variant.links) == links) {
      variant.mass += mass;
      return;
    }
  variants_.push_back({keep(links), mass});
}

void RuleScorer::end_target() {
  if (variants_.empty()) return;
  const auto best =
      std::max_element(variants_.begin(), variants_.end(), [&](const Variant& a, const Variant& b) {
        return a.mass != b.mass ? a.mass < b.mass : view(a.links) > view(b.links);
      });
  candidates_.back().links = best->links;
  variants_.clear();
}

// -- writing -----------------------------------------------------------------------------------

void RuleScorer::read_target(const Candidate& candidate) {
  target_symbols_.clear();
  for_each_symbol(view(candidate.target),
                  [&](text::Symbol symbol) { target_symbols_.push_back(symbol); });
}

// Has one of its sides a word without a link at an edge?
bool RuleScorer::is_loose(const Candidate& candidate) {
  read_target(candidate);
  if (target_symbols_.empty()) return false;  // it deletes a word, and has no edges to be loose
  const std::string_view links = view(candidate.links);
  const auto free = [&](const std::vector<text::Symbol>& side, size_t place, size_t which) {
    if (!text::is_word(side[place])) return false;
    for (size_t at = which; at < links.size(); at += 2)
      if (static_cast<uint8_t>(links[at]) == place) return false;
    return true;
  };
  return free(source_symbols_, 0, 0) || free(source_symbols_, source_symbols_.size() - 1, 0) ||
         free(target_symbols_, 0, 1) || free(target_symbols_, target_symbols_.size() - 1, 1);
}

// Do links leave a place where both sides fall into two, in the same order or turned round?
bool RuleScorer::is_composed(const Candidate& candidate) const {
  const std::string_view links = view(candidate.links);
  for (size_t split = 1; split < source_symbols_.size(); ++split) {
    std::array<uint32_t, 2> low{UINT32_MAX, UINT32_MAX};
    std::array<uint32_t, 2> high{0, 0};
    for (size_t at = 0; at + 1 < links.size(); at += 2) {
      const bool right = static_cast<uint8_t>(links[at]) >= split;
      const uint32_t target = static_cast<uint8_t>(links[at + 1]);
      low[right] = std::min(low[right], target);
      high[right] = std::max(high[right], target);
    }
    const bool both = low[0] != UINT32_MAX && low[1] != UINT32_MAX;
    if (both && (high[0] < low[1] || high[1] < low[0])) return true;
  }
  return false;
}

// Leaves those that were chosen, by their target sides.
void RuleScorer::choose() {
  const bool phrases = std::all_of(source_symbols_.begin(), source_symbols_.end(),
                                   [](text::Symbol symbol) { return text::is_word(symbol); });
  const uint32_t least = phrases ? 1 : choice_.min_sentences;
  const uint32_t least_loose =
      source_symbols_.size() <= choice_.short_loose ? 1 : choice_.min_loose;
  int64_t source_sentences = left_out_sentences_;
  for (const Candidate& candidate : candidates_) source_sentences += candidate.sentences.source;
  const auto by_chance = [&](const Candidate& candidate) {
    const auto& [pair, _, target] = candidate.sentences;
    return choice_.significance > 0 && fisher_evidence({pair, source_sentences, target},
                                                       choice_.sentences) < choice_.significance;
  };
  std::erase_if(candidates_, [&](const Candidate& candidate) {
    const uint32_t seen = candidate.origins.count();
    return seen < least || (seen < least_loose && is_loose(candidate)) ||
           (seen < choice_.min_composed && is_composed(candidate)) || by_chance(candidate);
  });
  const uint32_t limit = choice_.max_targets;
  if (limit != 0 && candidates_.size() > limit) {
    const auto by_mass = [&](const Candidate& a, const Candidate& b) {
      return a.mass != b.mass ? a.mass > b.mass : view(a.target) < view(b.target);
    };
    std::nth_element(candidates_.begin(), candidates_.begin() + limit, candidates_.end(), by_mass);
    candidates_.resize(limit);
  }
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    return view(a.target) < view(b.target);
  });
}

void RuleScorer::end_source() {
  const int64_t left_out = std::exchange(left_out_, 0);
  if (candidates_.empty()) {
    left_out_sentences_ = 0;
    return;
  }
  end_target();
  int64_t total = left_out;
  for (const Candidate& candidate : candidates_) total += candidate.mass;
  source_symbols_.clear();
  for_each_symbol({source_.data(), source_.size()},
                  [&](text::Symbol symbol) { source_symbols_.push_back(symbol); });
  choose();
  for (const Candidate& candidate : candidates_) write(candidate, static_cast<double>(total));
  candidates_.clear();
  bytes_.clear();
  left_out_sentences_ = 0;
}

void RuleScorer::write(const Candidate& candidate, double source_total) {
  read_target(candidate);
  const std::string_view links = view(candidate.links);
  links_.clear();
  for (size_t at = 0; at + 1 < links.size(); at += 2)
    links_.push_back({static_cast<uint8_t>(links[at]), static_cast<uint8_t>(links[at + 1])});
  if (!lexicon_.knows(source_symbols_, target_symbols_, links_))
    throw io::Error(io::Fault::argument, "a rule of other words than the vocabularies'");
  const auto mass = static_cast<double>(candidate.mass);
  auto lexical = lexicon_.weights(source_symbols_, target_symbols_, links_);
  if (extras_.pay_deletions && target_symbols_.empty())
    lexical.target_given_source = lexicon_.deletion(source_symbols_);
  const auto seen_in = [&](uint32_t sentences) {
    return candidate.origins.count() == sentences ? 1.0f : 0.0f;
  };
  scores_ = {
      log_floored(mass / source_total),
      log_floored(mass / static_cast<double>(candidate.target_total)),
      static_cast<float>(lexical.target_given_source),
      static_cast<float>(lexical.source_given_target),
      seen_in(1),
      seen_in(2),
  };
  if (extras_.unaligned) {
    const auto unaligned = [&](const std::vector<text::Symbol>& side, auto&& place) {
      float count = 0;
      for (size_t at = 0; at < side.size(); ++at)
        if (text::is_word(side[at]) &&
            std::none_of(links_.begin(), links_.end(),
                         [&](RuleLink link) { return place(link) == at; }))
          ++count;
      return count;
    };
    scores_.push_back(unaligned(source_symbols_, [](RuleLink link) { return link.source; }));
    scores_.push_back(unaligned(target_symbols_, [](RuleLink link) { return link.target; }));
  }
  if (extras_.orientations) {
    const double unit = kSmoothing * static_cast<double>(kUnitMass);
    for (size_t i = 0; i < shares_.size(); ++i)
      scores_.push_back(log_floored(
          (static_cast<double>(candidate.orientations[i]) + unit * shares_[i]) / (mass + unit)));
  }
  const std::array<float, RuleTable::kCounts> counts{whole(candidate.target_total),
                                                     whole(static_cast<int64_t>(source_total)),
                                                     whole(candidate.mass)};
  out_.add({HieroExtractor::kX, source_symbols_, target_symbols_, scores_, links_,
            candidate.origins.of(), counts});
}

void RuleScorer::finish() { end_source(); }

}  // namespace demotic::grammar
