#include "grammar/rule_filter.h"

#include <algorithm>
#include <bit>

#include "grammar/rule_table_builder.h"
#include "text/token_lines.h"

namespace demotic::grammar {

namespace {

void set(uint64_t* places, size_t place) { places[place / 64] |= uint64_t{1} << (place % 64); }

template <class Each>
void for_each_place(std::span<const uint64_t> places, Each&& each) {
  for (size_t at = 0; at < places.size(); ++at)
    for (uint64_t rest = places[at]; rest != 0; rest &= rest - 1)
      each(at * 64 + static_cast<size_t>(std::countr_zero(rest)));
}

}  // namespace

void RuleFilter::add(std::string_view text) {
  text::TokenLines lines;
  encode(text, table_.source_vocab(), lines);
  for (size_t line = 0; line < lines.size(); ++line) match(lines[line]);
}

void RuleFilter::open(uint32_t node) {
  opened_[node] = sentence_;
  matched_[node] = 1;
  waiting_.push_back(node);
  ends_.resize(waiting_.size() * width_, 0);
}

void RuleFilter::match(std::span<const uint32_t> sentence) {
  const size_t size = sentence.size();
  ++sentence_;
  width_ = size / 64 + 1;
  waiting_.clear();
  ends_.clear();
  open(RuleTable::kRoot);
  for (size_t place = 0; place < size; ++place) set(ends_of(0), place);
  while (!waiting_.empty()) {
    const uint32_t node = waiting_.back();
    here_.assign(ends_of(waiting_.size() - 1), ends_of(waiting_.size() - 1) + width_);
    waiting_.pop_back();
    ends_.resize(waiting_.size() * width_);
    const size_t base = waiting_.size();
    size_t first = size;
    for_each_place(here_, [&](size_t place) {
      first = std::min(first, place);
      if (place == size) return;
      const uint32_t child = table_.step(node, static_cast<text::Symbol>(sentence[place]));
      if (child == RuleTable::kNone) return;
      if (opened_[child] != sentence_) open(child);
      // Its siblings were opened just now; in a damaged table it may be somebody else's child.
      const auto at = std::find(waiting_.begin() + base, waiting_.end(), child);
      if (at != waiting_.end()) set(ends_of(at - waiting_.begin()), place + 1);
    });
    if (first >= size) continue;
    for (uint32_t category = 0; category < table_.categories().size(); ++category) {
      const uint32_t child = table_.step(node, category_symbol(category));
      if (child == RuleTable::kNone || opened_[child] == sentence_) continue;
      open(child);
      for (size_t place = first + 1; place <= size; ++place)
        set(ends_of(waiting_.size() - 1), place);
    }
  }
}

void RuleFilter::write(const std::string& path) const { copy_rules(table_, matched_rules(), path); }

std::vector<char> RuleFilter::matched_rules() const {
  std::vector<char> rules(table_.rules(), 0);
  for (uint32_t node = 1; node < table_.nodes(); ++node)
    if (matched_[node] != 0 && table_.owns_rules(node))
      std::fill(rules.begin() + table_.first_rule(node), rules.begin() + table_.last_rule(node), 1);
  return rules;
}

}  // namespace demotic::grammar
