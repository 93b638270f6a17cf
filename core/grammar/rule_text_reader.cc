// The reading half of rule_text.h: one line becomes one rule.  Reading and writing share the header
// because they share its description of the formats.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "grammar/rule_scorer.h"
#include "grammar/rule_text.h"
#include "grammar/rule_text_tokens.h"
#include "io/error.h"
#include "text/token_lines.h"

namespace demotic::grammar {

RuleTextReader::RuleTextReader(const RuleTextOptions& options) : options_(options) {
  for (const std::string& name : options_.columns) feature(name, true, false);
}

void RuleTextReader::fail(const std::string& message, const std::string& remedy) const {
  throw io::Error(io::Fault::format, message, line_, remedy);
}

void RuleTextReader::split(std::string_view line) {
  field_count_ = 0;
  const auto next_field = [&] {
    if (++field_count_ > fields_.size()) fields_.emplace_back();
    fields_[field_count_ - 1].clear();
  };
  next_field();
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view token = line.substr(at, end - at);
    if (token == "|||")
      next_field();
    else if (!token.empty())
      fields_[field_count_ - 1].push_back(token);
    at = end + 1;
  }
}

void RuleTextReader::feed(std::string_view text) {
  text::for_each_line(text, [&](std::string_view line) {
    ++line_;
    split(line);
    if (field_count_ > 1 || !fields_[0].empty()) parse_line();
  });
}

// -- one line ----------------------------------------------------------------------------------

void RuleTextReader::parse_line() {
  const bool labelled = !from_moses();
  const size_t first = labelled ? 1 : 0;  // where the source side stands
  if (field_count_ < first + 2)
    fail("a line of " + std::to_string(field_count_) + " fields",
         labelled ? "write [X] ||| source ||| target ||| scores"
                  : "write source ||| target ||| scores");
  const Tokens& source = field(first);
  const Tokens& target = field(first + 1);
  size_t source_count = source.size();
  size_t target_count = target.size();
  entry_ = {};
  entry_.line = line_;
  entry_.symbols = symbols_.size();
  entry_.scores = scores_.size();
  entry_.links = links_.size();
  if (labelled) {
    if (field(0).size() != 1)
      fail("the left-hand side is not one nonterminal", "write [X] ||| ...");
    entry_.lhs = parse_lhs(field(0)[0]);
  } else if (options_.format == RuleFormat::moses_hiero) {
    if (source.empty() || target.empty() || !is_bracketed(source.back()))
      fail("no left-hand side after the words", "each side of a Moses rule ends in [X]");
    entry_.lhs = parse_lhs(target.back());
    --source_count;
    --target_count;
  } else {
    entry_.lhs = category("X");
  }
  if (source_count == 0) fail("an empty source side");
  if (target_count == 0 && !options_.empty_targets)
    fail("an empty target side", "allow empty target sides if rules may delete words");
  if (source_count > kMaxSymbols || target_count > kMaxSymbols)
    fail("a side of more than " + std::to_string(kMaxSymbols) + " symbols");

  // Moses keeps scores before links, the others too: fields 2-4 after the source side.
  static const Tokens kNothing;
  const auto optional = [&](size_t at) -> const Tokens& {
    return first + at < field_count_ ? field(first + at) : kNothing;
  };
  pairs_.clear();
  for (const std::string_view token : optional(3)) {
    const size_t dash = token.find('-');
    std::array<uint32_t, 2> pair;
    if (dash == std::string_view::npos || !read_index(token.substr(0, dash), pair[0]) ||
        !read_index(token.substr(dash + 1), pair[1]))
      fail(quoted(token) + " is no word link", "write links like 0-0 1-2");
    pairs_.push_back(pair);
  }
  parse_source(source, source_count);
  if (options_.format == RuleFormat::moses_hiero)
    parse_moses_target(target, target_count);
  else
    parse_target(target, target_count);
  entry_.source_size = static_cast<uint16_t>(source_count);
  entry_.target_size = static_cast<uint16_t>(target_count);
  parse_links(optional(3));
  parse_scores(optional(2));
  if (from_moses()) {
    parse_counts(optional(4));
    parse_sparse(optional(5));
  }
  entry_.score_count = static_cast<uint32_t>(scores_.size() - entry_.scores);
  // A rule that comes again comes again in whatever order its features stand.
  std::sort(scores_.begin() + static_cast<std::ptrdiff_t>(entry_.scores), scores_.end(),
            [](Score a, Score b) { return a.feature < b.feature; });
  counts_everywhere_ &= entry_.counts[2] > 0;
  entries_.push_back(entry_);
}

uint32_t RuleTextReader::category(std::string_view name) {
  if (name.empty() || name.find_first_of("[]") != std::string_view::npos)
    fail(quoted(name) + " is no name of a nonterminal");
  const auto [at, added] =
      category_ids_.try_emplace(std::string(name), static_cast<uint32_t>(categories_.size()));
  if (added) categories_.emplace_back(name);
  return at->second;
}

uint32_t RuleTextReader::parse_lhs(std::string_view token) {
  if (!is_bracketed(token) || label_of(token).number != 0)
    fail("the left-hand side is " + quoted(token), "write a nonterminal, such as [X]");
  return category(label_of(token).name);
}

void RuleTextReader::parse_source(const Tokens& tokens, size_t count) {
  nonterminals_.clear();
  for (size_t at = 0; at < count; ++at) {
    const std::string_view token = tokens[at];
    const auto slot = static_cast<uint32_t>(nonterminals_.size());
    if (options_.format == RuleFormat::moses_hiero && !moses_label(token).empty()) {
      nonterminals_.push_back({category(moses_label(token)), slot + 1, static_cast<uint32_t>(at)});
    } else if (!from_moses() && is_bracketed(token)) {
      const Label label = label_of(token);
      const uint32_t number = label.number == 0 ? slot + 1 : label.number;
      for (const Nonterminal& other : nonterminals_)
        if (other.number == number) fail("two nonterminals of the source side share a number");
      nonterminals_.push_back({category(label.name), number, static_cast<uint32_t>(at)});
    } else {
      symbols_.push_back(static_cast<text::Symbol>(source_vocab_.add(token)));
      continue;
    }
    symbols_.push_back(category_symbol(nonterminals_.back().category));
  }
  if (nonterminals_.size() > kMaxArity)
    fail("a rule of " + std::to_string(nonterminals_.size()) + " nonterminals",
         "rules have at most " + std::to_string(kMaxArity) + "; binarise the grammar");
}

void RuleTextReader::parse_target(const Tokens& tokens, size_t count) {
  const size_t begin = symbols_.size();
  for (size_t at = 0; at < count; ++at) {
    const std::string_view token = tokens[at];
    if (from_moses() || !is_bracketed(token)) {
      symbols_.push_back(static_cast<text::Symbol>(target_vocab_.add(token)));
      continue;
    }
    const Label label = label_of(token);
    if (label.number == 0)
      fail("the nonterminal " + quoted(token) + " of the target side has no number",
           "write [X,1]; in words write &#91; and &#93; for brackets");
    const auto same =
        std::find_if(nonterminals_.begin(), nonterminals_.end(),
                     [&](const Nonterminal& other) { return other.number == label.number; });
    if (same == nonterminals_.end() ||
        (!label.name.empty() && categories_[same->category] != label.name))
      fail("mismatched nonterminals: the source side has no " + std::string(token));
    symbols_.push_back(text::slot_symbol(static_cast<uint32_t>(same - nonterminals_.begin())));
  }
  if (!repeats_slots(std::span(symbols_).subspan(begin),
                     static_cast<uint32_t>(nonterminals_.size())))
    fail("mismatched nonterminals: each must stand once on each side");
}

// The alignment says which nonterminals belong together.
void RuleTextReader::parse_moses_target(const Tokens& tokens, size_t count) {
  const size_t begin = symbols_.size();
  for (size_t at = 0; at < count; ++at) {
    const std::string_view label = moses_label(tokens[at]);
    if (label.empty()) {
      symbols_.push_back(static_cast<text::Symbol>(target_vocab_.add(tokens[at])));
      continue;
    }
    uint32_t slot = 0;
    while (slot < nonterminals_.size() &&
           std::find(pairs_.begin(), pairs_.end(),
                     std::array{nonterminals_[slot].position, static_cast<uint32_t>(at)}) ==
               pairs_.end())
      ++slot;
    if (slot == nonterminals_.size() && slot == 1) slot = 0;  // a single one needs no link
    if (slot >= nonterminals_.size())
      fail("mismatched nonterminals: no link joins " + quoted(tokens[at]) + " to the source side");
    if (categories_[nonterminals_[slot].category] != label)
      fail("mismatched nonterminals: linked ones have different names");
    symbols_.push_back(text::slot_symbol(slot));
  }
  if (!repeats_slots(std::span(symbols_).subspan(begin),
                     static_cast<uint32_t>(nonterminals_.size())))
    fail("mismatched nonterminals: each must stand once on each side");
}

void RuleTextReader::parse_links(const Tokens& tokens) {
  const size_t begin = links_.size();
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [f, e] = pairs_[i];
    if (f >= entry_.source_size || e >= entry_.target_size)
      fail("the link " + quoted(tokens[i]) + " is outside the rule");
    if (text::is_word(symbols_[entry_.symbols + f]) &&
        text::is_word(symbols_[entry_.symbols + entry_.source_size + e]))
      links_.push_back({static_cast<uint8_t>(f), static_cast<uint8_t>(e)});
  }
  const auto by_place = [](RuleLink a, RuleLink b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  };
  std::sort(links_.begin() + begin, links_.end(), by_place);
  links_.erase(std::unique(links_.begin() + begin, links_.end()), links_.end());
  entry_.link_count = static_cast<uint16_t>(std::min<size_t>(links_.size() - begin, UINT16_MAX));
}

// -- numbers -----------------------------------------------------------------------------------

double RuleTextReader::number(std::string_view token) const {
  double value = 0;
  const char* end = token.data() + token.size();
  const auto [stop, failure] = std::from_chars(token.data(), end, value);
  if (failure == std::errc::result_out_of_range && stop == end)
    value = std::strtod(std::string(token).c_str(), nullptr);  // 0 or infinite
  else if (failure != std::errc() || stop != end)
    fail(quoted(token) + " is no number");
  if (!std::isfinite(value)) fail("a score of " + quoted(token), "scores must be finite numbers");
  return value;
}

uint32_t RuleTextReader::feature(std::string_view name, bool column, bool sparse) {
  const auto [at, added] =
      feature_ids_.try_emplace(std::string(name), static_cast<uint32_t>(features_.size()));
  if (added) features_.push_back({std::string(name), column, sparse});
  return at->second;
}

void RuleTextReader::add_score(uint32_t id, double value, std::string_view token) {
  if (std::abs(value) > 1e30) fail("a score of " + quoted(token), "scores must be below 1e30");
  Feature& feature = features_[id];
  if (feature.line == line_) fail("the feature " + quoted(feature.name) + " stands twice");
  feature.line = line_;
  ++feature.rules;
  scores_.push_back({id, static_cast<float>(value) + 0.0f});
}

std::string RuleTextReader::nameless(size_t index) const {
  if (options_.format == RuleFormat::cdec) return "PhraseModel_" + std::to_string(index);
  if (options_.format == RuleFormat::joshua) return "tm_pt_" + std::to_string(index);
  static constexpr std::array kMoses = {"SourceGivenTarget", "LexicalSourceGivenTarget",
                                        "TargetGivenSource", "LexicalTargetGivenSource"};
  if (nameless_count_ >= kMoses.size() && index < kMoses.size()) return kMoses[index];
  return "TranslationModel_" + std::to_string(index);
}

void RuleTextReader::parse_scores(const Tokens& tokens) {
  if (from_moses()) {
    if (entries_.empty()) nameless_count_ = tokens.size();
    if (tokens.size() != nameless_count_)
      fail(std::to_string(tokens.size()) + " scores, but " + std::to_string(nameless_count_) +
           " in the first line");
  }
  size_t count = 0;  // nameless ones so far
  for (const std::string_view token : tokens) {
    const size_t equals = token.rfind('=');
    const bool named = equals != std::string_view::npos && equals > 0;
    if (named && from_moses())
      fail("a score with a name: " + quoted(token), "the scores of Moses' tables have none");
    double value = number(named ? token.substr(equals + 1) : token);
    if (from_moses()) {
      if (value < 0) fail("a negative probability", "Moses' tables hold probabilities, not logs");
      value = std::log(value > 0 ? value : RuleScorer::kFloor);
    } else if (!named && options_.format == RuleFormat::joshua) {
      value = -value;
    }
    if (named) {
      add_score(feature(token.substr(0, equals), false, false), value, token);
    } else {
      if (count == kMaxColumns)
        fail("more than " + std::to_string(kMaxColumns) + " scores without a name",
             "give names to those that few rules have");
      add_score(feature(nameless(count++), true, false), value, token);
    }
  }
}

// "name value" one after the other, or name=value.  What begins with braces are properties.
void RuleTextReader::parse_sparse(const Tokens& tokens) {
  if (tokens.empty() || tokens[0].starts_with("{{")) return;
  bool pairs = tokens.size() % 2 == 0;
  for (size_t i = 1; i < tokens.size() && pairs; i += 2) pairs = is_number(tokens[i]);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const size_t equals = token.rfind('=');
    if (!pairs && (equals == std::string_view::npos || equals == 0))
      fail(quoted(token) + " is no sparse feature", "write a name and a value for each");
    const std::string_view name = pairs ? token : token.substr(0, equals);
    const std::string_view value = pairs ? tokens[++i] : token.substr(equals + 1);
    add_score(feature(name, false, true), number(value), value);
  }
}

// c(e) c(f) c(f,e); tables of old have the first two, and P(f|e) says the third.
void RuleTextReader::parse_counts(const Tokens& tokens) {
  for (size_t i = 0; i < tokens.size() && i < RuleTable::kCounts; ++i) {
    const double value = number(tokens[i]);
    if (value < 0 || value > 1e30) fail("a count of " + quoted(tokens[i]));
    entry_.counts[i] = static_cast<float>(value);
  }
  if (tokens.size() == 2 && scores_.size() > entry_.scores)
    entry_.counts[2] = std::exp(scores_[entry_.scores].value) * entry_.counts[0];
}

}  // namespace demotic::grammar
