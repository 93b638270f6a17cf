#include "decode/composed_rules.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace demotic::decode {

namespace {

using grammar::RuleTable;
using Symbols = std::vector<text::Symbol>;

size_t words_in(std::span<const text::Symbol> side) {
  return std::count_if(side.begin(), side.end(), text::is_word);
}

class Composer {
 public:
  Composer(const ScoredGrammar& grammar, double margin)
      : table_(grammar.table()), margin_(margin), composed_(table_.rules(), 0) {
    scores_.reserve(table_.rules());
    for (uint32_t rule = 0; rule < table_.rules(); ++rule) scores_.push_back(grammar.score(rule));
    for (uint32_t node = 0; node < table_.nodes(); ++node)
      has_rules_.push_back(node > 0 && table_.owns_rules(node) ? 1 : 0);
  }

  std::vector<char> operator()() {
    for (const uint32_t node : nodes_by_words()) sides(node);
    return std::move(composed_);
  }

 private:
  // A piece of the source side at hand, and what is left around it.
  struct Cut {
    size_t begin, end;
    uint32_t inner;       // node
    uint32_t first_slot;  // of the side's, in the piece
    uint32_t slots;       // in the piece
    // The node of what is left, a nonterminal of this category in the place of the piece.
    uint32_t category, outer;
  };

  // Parts have fewer words than the whole: they are decided upon before it.
  std::vector<uint32_t> nodes_by_words() const {
    std::vector<std::pair<size_t, uint32_t>> order;
    for (uint32_t node = 1; node < table_.nodes(); ++node) {
      if (has_rules_[node] == 0) continue;
      if (const size_t words = words_in(table_.source_of(node)); words > 1)
        order.emplace_back(words, node);
    }
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> nodes;
    for (const auto& [words, node] : order) nodes.push_back(node);
    return nodes;
  }

  uint32_t walk(uint32_t node, std::span<const text::Symbol> symbols) const {
    for (const text::Symbol symbol : symbols) {
      if (node == RuleTable::kNone) break;
      node = table_.step(node, symbol);
    }
    return node;
  }

  void sides(uint32_t node) {
    source_ = table_.source_of(node);
    const auto arity = static_cast<uint32_t>(source_.size() - words_in(source_));
    find_cuts();
    if (cuts_.empty()) return;
    for (uint32_t rule = table_.first_rule(node); rule < table_.last_rule(node); ++rule) {
      if (!table_.usable(rule, arity)) continue;
      const io::PackedRow<text::Symbol> packed = table_.target(rule);
      target_.assign(packed.begin(), packed.end());
      least_ = scores_[rule] - margin_;
      lhs_ = table_.lhs(rule);
      for (Cut& cut : cuts_) {
        if (!composes(cut)) continue;
        composed_[rule] = 1;
        break;
      }
    }
  }

  void find_cuts() {
    cuts_.clear();
    uint32_t before = 0;  // nonterminals
    for (size_t begin = 0; begin < source_.size(); ++begin) {
      uint32_t inner = RuleTable::kRoot;
      uint32_t slots = 0;
      bool words = false;
      for (size_t end = begin + 1; end <= source_.size(); ++end) {
        const text::Symbol symbol = source_[end - 1];
        inner = table_.step(inner, symbol);
        if (inner == RuleTable::kNone) break;
        words = words || text::is_word(symbol);
        slots += text::is_word(symbol) ? 0 : 1;
        if (!words || !outside_has_words(begin, end) || has_rules_[inner] == 0) continue;
        const uint32_t category = table_.lhs(table_.first_rule(inner));
        cuts_.push_back({begin, end, inner, before, slots, category, around(begin, end, category)});
      }
      before += text::is_word(source_[begin]) ? 0 : 1;
    }
  }

  bool outside_has_words(size_t begin, size_t end) const {
    const std::span<const text::Symbol> source(source_);
    return words_in(source.first(begin)) + words_in(source.subspan(end)) > 0;
  }

  // The node of the side with a nonterminal in the place of a piece, if it has rules.
  uint32_t around(size_t begin, size_t end, uint32_t category) const {
    const std::span<const text::Symbol> source(source_);
    const text::Symbol hole = grammar::category_symbol(category);
    uint32_t node = walk(RuleTable::kRoot, source.first(begin));
    node = walk(node, std::span(&hole, 1));
    node = walk(node, source.subspan(end));
    return node != RuleTable::kNone && has_rules_[node] != 0 ? node : RuleTable::kNone;
  }

  bool composes(Cut& cut) {
    for (uint32_t rule = table_.first_rule(cut.inner); rule < table_.last_rule(cut.inner); ++rule) {
      if (composed_[rule] != 0 || !table_.usable(rule, cut.slots)) continue;
      if (const uint32_t category = table_.lhs(rule); category != cut.category) {
        cut.category = category;
        cut.outer = around(cut.begin, cut.end, category);
      }
      const io::PackedRow<text::Symbol> piece = table_.target(rule);
      if (cut.outer == RuleTable::kNone || piece.empty() || piece.size() > target_.size()) continue;
      for (size_t at = 0; at + piece.size() <= target_.size(); ++at)
        if (stands(piece, at, cut.first_slot) && goes_around(cut, rule, at, at + piece.size()))
          return true;
    }
    return false;
  }

  // Does a piece stand there, its first slot the one of this number?
  bool stands(const io::PackedRow<text::Symbol>& piece, size_t at, uint32_t first_slot) const {
    for (size_t i = 0; i < piece.size(); ++i) {
      const text::Symbol symbol = piece[i];
      const text::Symbol moved =
          text::is_word(symbol) ? symbol : text::slot_symbol(text::slot_of(symbol) + first_slot);
      if (moved != target_[at + i]) return false;
    }
    return true;
  }

  // Is there a rule for what is left around the piece, and are both good enough?
  bool goes_around(const Cut& cut, uint32_t inner, size_t begin, size_t end) {
    around_.clear();
    for (size_t i = 0; i < begin; ++i) around_.push_back(renumbered(target_[i], cut));
    around_.push_back(text::slot_symbol(cut.first_slot));
    for (size_t i = end; i < target_.size(); ++i) around_.push_back(renumbered(target_[i], cut));
    const uint32_t last = table_.last_rule(cut.outer);
    for (uint32_t rule = table_.first_rule(cut.outer); rule < last; ++rule) {
      if (composed_[rule] != 0 || table_.lhs(rule) != lhs_) continue;
      if (scores_[rule] + scores_[inner] < least_) continue;
      const io::PackedRow<text::Symbol> target = table_.target(rule);
      if (std::equal(target.begin(), target.end(), around_.begin(), around_.end())) return true;
    }
    return false;
  }

  // A symbol outside the piece, whose slots have become one.
  static text::Symbol renumbered(text::Symbol symbol, const Cut& cut) {
    if (text::is_word(symbol) || text::slot_of(symbol) < cut.first_slot) return symbol;
    return text::slot_symbol(text::slot_of(symbol) - cut.slots + 1);
  }

  const RuleTable& table_;
  double margin_;
  std::vector<char> composed_;   // by rule
  std::vector<double> scores_;   // by rule
  std::vector<char> has_rules_;  // by node

  // Of the side at hand, and of its rule.
  Symbols source_, target_, around_;
  std::vector<Cut> cuts_;
  double least_ = 0;
  uint32_t lhs_ = 0;
};

}  // namespace

std::vector<char> composed_rules(const ScoredGrammar& grammar, double margin) {
  return Composer(grammar, margin)();
}

}  // namespace demotic::decode
