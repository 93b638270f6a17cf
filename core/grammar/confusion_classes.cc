#include "grammar/confusion_classes.h"

#include <tuple>
#include <utility>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

constexpr uint32_t kNoColumn = UINT32_MAX;

uint64_t hash_of(std::span<const int32_t> values) {
  return io::mix64(io::checksum64(values.data(), values.size_bytes()));
}

uint64_t hash_of(std::span<const uint32_t> values) {
  return io::mix64(io::checksum64(values.data(), values.size_bytes()));
}

uint32_t column_of(const RuleTable& table, std::string_view name) {
  const std::vector<std::string>& names = table.feature_names();
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? kNoColumn : static_cast<uint32_t>(at - names.begin());
}

}  // namespace

ConfusionClasses::ConfusionClasses(const RuleTable& table, std::string_view goal)
    : table_(table), ranked_by_(column_of(table, "TargetGivenSource")) {
  const std::vector<std::string>& names = table.categories();
  const auto at = std::find(names.begin(), names.end(), goal);
  goal_ = static_cast<uint32_t>(at - names.begin());
}

// The number of a rule's target side, or kNone where it takes no part.
uint32_t ConfusionClasses::side_of(uint32_t rule, std::span<const text::Symbol> source) {
  const uint32_t lhs = table_.lhs(rule);
  const io::PackedRow<text::Symbol> target = table_.target(rule);
  uint32_t arity = 0;
  record_.assign({static_cast<int32_t>(lhs), 0});
  for (const text::Symbol symbol : source)
    if (!text::is_word(symbol)) {
      record_.push_back(symbol);
      ++arity;
    }
  if (lhs == goal_ || target.empty() || arity > kMaxArity || !table_.usable(rule, arity))
    return HashIndex::kNone;
  record_[1] = static_cast<int32_t>(arity);
  record_.insert(record_.end(), target.begin(), target.end());
  const auto next = static_cast<uint32_t>(side_ends_.size());
  const uint32_t number =
      side_index_.find_or_add(hash_of(std::span<const int32_t>(record_)), next,
                              [&](uint32_t s) { return std::ranges::equal(record(s), record_); });
  if (number == next) {
    records_.insert(records_.end(), record_.begin(), record_.end());
    side_ends_.push_back(records_.size());
  }
  return number;
}

// A class of these sides; one that is there already counts once more.
void ConfusionClasses::close(std::vector<Option>& options, uint32_t most) {
  // The best of each side, by its number.
  std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
    return a.side != b.side ? a.side < b.side : a.score > b.score;
  });
  const auto same = [](const Option& a, const Option& b) { return a.side == b.side; };
  options.erase(std::unique(options.begin(), options.end(), same), options.end());
  if (options.empty()) return;
  if (most > 0 && options.size() > most) {
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& a, const Option& b) { return a.score > b.score; });
    dropped_ += options.size() - most;
    options.resize(most);
    std::sort(options.begin(), options.end(),
              [](const Option& a, const Option& b) { return a.side < b.side; });
  }
  std::vector<uint32_t> own;
  for (const Option& option : options) own.push_back(option.side);
  const uint32_t number =
      class_index_.find_or_add(hash_of(std::span<const uint32_t>(own)), classes(),
                               [&](uint32_t c) { return std::ranges::equal(members_of(c), own); });
  if (number == classes()) {
    members_.insert(members_.end(), own.begin(), own.end());
    class_ends_.push_back(members_.size());
    class_counts_.push_back(0);
  }
  ++class_counts_[number];
}

void ConfusionClasses::add_sources(uint32_t begin, uint32_t end, const ConfusionOptions& given) {
  std::vector<Option> options;
  for (uint32_t node = begin; node < std::min(end, table_.nodes()); ++node) {
    if (!table_.owns_rules(node)) continue;
    const std::vector<text::Symbol> source = table_.source_of(node);
    const uint32_t last = table_.last_rule(node);
    for (uint32_t rule = table_.first_rule(node); rule < last;) {
      const uint32_t lhs = table_.lhs(rule);  // rules of one are neighbours
      options.clear();
      for (; rule < last && table_.lhs(rule) == lhs; ++rule) {
        const uint32_t side = side_of(rule, source);
        if (side == HashIndex::kNone) continue;
        const double score = ranked_by_ != kNoColumn ? table_.scores(rule)[ranked_by_]
                             : table_.has_counts()   ? table_.counts(rule)[2]
                                                     : 0.0;
        options.push_back({side, score});
      }
      close(options, given.max_options);
    }
  }
}

// `source`: that of the rule, or empty.
void ConfusionClasses::add_step(const Step& step, std::vector<text::Symbol>& source,
                                const ConfusionOptions& given, Groups& groups) {
  const auto require = [](bool fits) {
    if (!fits)
      throw io::Error(io::Fault::argument, "a forest with rules that are not in the table", 0,
                      "give the table that the decoder used");
  };
  require(step.rule < table_.rules());
  if (source.empty()) source = table_.source_of(table_.node_of(step.rule));
  const uint32_t side = side_of(step.rule, source);
  if (side == HashIndex::kNone) return;
  require(2 * arity(side) == step.tail_spans.size());
  std::vector<uint32_t> key{table_.lhs(step.rule)};
  key.insert(key.end(), step.place.begin(), step.place.end());
  for (uint32_t k = 0; k < arity(side); ++k)
    key.push_back(static_cast<uint32_t>(record(side)[kHead + k]));
  if (given.same_tail_spans) key.insert(key.end(), step.tail_spans.begin(), step.tail_spans.end());
  groups[std::move(key)].push_back({side, step.score});
}

void ConfusionClasses::close(Groups& groups, const ConfusionOptions& given) {
  for (auto& [_, options] : groups) close(options, given.max_options);
  groups.clear();
}

ConfusionClasses::Places ConfusionClasses::places_of(uint32_t s) const {
  Places places{};
  uint8_t next = 0;
  for (const text::Symbol symbol : side(s))
    if (text::is_slot(symbol)) places[text::slot_of(symbol)] = next++;
  return places;
}

std::vector<text::Symbol> ConfusionClasses::as_source(uint32_t s) const {
  std::vector<text::Symbol> made;
  for (const text::Symbol symbol : side(s))
    made.push_back(text::is_word(symbol) ? symbol : record(s)[kHead + text::slot_of(symbol)]);
  return made;
}

void ConfusionClasses::finish() {
  class_list_ends_.assign(sides(), 0);
  for (const uint32_t member : members_) ++class_list_ends_[member];
  uint64_t end = 0;
  for (uint64_t& each : class_list_ends_) each = end += each;
  class_lists_.resize(members_.size());
  // From the last class to the first, so that each list ascends.
  std::vector<uint64_t> at = class_list_ends_;
  for (uint32_t c = classes(); c-- > 0;)
    for (const uint32_t member : members_of(c)) class_lists_[--at[member]] = c;

  std::vector<std::vector<text::Symbol>> as_sources(sides());
  by_source_.clear();
  for (uint32_t s = 0; s < sides(); ++s) {
    if (is_bare(s)) continue;
    as_sources[s] = as_source(s);
    by_source_.push_back(s);
  }
  const auto key = [&](uint32_t s) { return std::tie(as_sources[s], records_[record_begin(s)]); };
  std::sort(by_source_.begin(), by_source_.end(),
            [&](uint32_t a, uint32_t b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
  source_ends_.clear();
  for (uint32_t i = 0; i < by_source_.size(); ++i) {
    if (i > 0 && key(by_source_[i]) == key(by_source_[i - 1]))
      ++source_ends_.back();
    else
      source_ends_.push_back(i + 1);
  }
}

double ConfusionClasses::collect(uint32_t source, std::vector<Confused>& found) const {
  // Sides under the numbering of one e1; several e1 may be one source.
  std::map<std::vector<text::Symbol>, double> counts;
  double total = 0;
  std::vector<std::pair<uint32_t, uint32_t>> seen;  // a side, and how often
  std::vector<text::Symbol> target;
  const uint32_t begin = source == 0 ? 0 : source_ends_[source - 1];
  for (uint32_t i = begin; i < source_ends_[source]; ++i) {
    const uint32_t own = by_source_[i];
    const Places places = places_of(own);
    seen.clear();
    const uint64_t first = own == 0 ? 0 : class_list_ends_[own - 1];
    for (uint64_t at = first; at < class_list_ends_[own]; ++at)
      for (const uint32_t member : members_of(class_lists_[at]))
        seen.emplace_back(member, class_counts_[class_lists_[at]]);
    std::sort(seen.begin(), seen.end());
    for (size_t k = 0; k < seen.size();) {
      const uint32_t member = seen[k].first;
      double count = 0;
      for (; k < seen.size() && seen[k].first == member; ++k) count += seen[k].second;
      const std::span<const text::Symbol> symbols = side(member);
      target.assign(symbols.begin(), symbols.end());
      for (text::Symbol& symbol : target)
        if (text::is_slot(symbol)) symbol = text::slot_symbol(places[text::slot_of(symbol)]);
      counts[target] += count;
      total += count;
    }
  }
  found.clear();
  for (auto& [each, count] : counts) found.push_back({each, count});
  return total;
}

uint64_t ConfusionClasses::pairs() const {
  uint64_t sum = 0;
  std::vector<Confused> found;
  for (uint32_t s = 0; s < sources(); ++s) {
    collect(s, found);
    sum += found.size();
  }
  return sum;
}

}  // namespace demotic::grammar
