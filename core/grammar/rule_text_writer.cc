// The writing half of rule_text.h: one rule becomes one line.  Reading and writing share the header
// because they share its description of the formats.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "grammar/rule_text.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

class Printer {
 public:
  Printer(const RuleTable& table, RuleFormat format, std::string& out)
      : table_(table), format_(format), out_(out), names_(table.feature_names()) {
    if (!moses()) return;
    // Moses' own order first, then what else there is.
    for (const char* name : {"SourceGivenTarget", "LexicalSourceGivenTarget", "TargetGivenSource",
                             "LexicalTargetGivenSource"})
      for (size_t i = 0; i < names_.size(); ++i)
        if (names_[i] == name) order_.push_back(i);
    for (size_t i = 0; i < names_.size(); ++i)
      if (std::find(order_.begin(), order_.end(), i) == order_.end()) order_.push_back(i);
  }

  void print(uint32_t rule, std::span<const text::Symbol> source) {
    source_ = source;
    target_ = table_.target(rule);
    slots_.clear();
    for (size_t i = 0; i < source.size(); ++i)
      if (!text::is_word(source[i])) slots_.push_back(i);
    if (!repeats_slots(target_, static_cast<uint32_t>(slots_.size())) ||
        table_.lhs(rule) >= table_.categories().size())
      throw io::Error(io::Fault::corrupt, "damaged rule table", 0,
                      "copy the file again or rebuild it");
    if (format_ == RuleFormat::moses_phrase && !slots_.empty())
      throw io::Error(io::Fault::argument, "a rule with nonterminals is no phrase", 0,
                      "choose another format for this table");
    std::string lhs(1, '[');
    lhs += name(category_symbol(table_.lhs(rule)));
    lhs += ']';
    if (!moses()) out_.append(lhs).append(" ||| ");
    print_source();
    if (format_ == RuleFormat::moses_hiero) out_.append(" ").append(lhs);
    out_ += " ||| ";
    print_target();
    if (format_ == RuleFormat::moses_hiero) out_.append(target_.empty() ? "" : " ").append(lhs);
    out_ += " |||";
    const features::SparseRow sparse = table_.sparse(rule);
    print_scores(table_.scores(rule));
    if (!moses()) print_sparse(sparse, '=');
    print_links(table_.links(rule));
    if (moses()) {
      print_counts(table_.counts(rule), sparse.empty());
      if (!sparse.empty()) out_ += " |||";
      print_sparse(sparse, ' ');
    }
    out_ += '\n';
  }

 private:
  bool moses() const { return format_ >= RuleFormat::moses_hiero; }
  std::string name(text::Symbol symbol) const {
    const uint32_t category = category_of(symbol);
    return category < table_.categories().size() ? table_.categories()[category] : "X";
  }

  void print_word(std::string_view word) {
    const bool bracketed = word.size() > 2 && word.front() == '[' && word.back() == ']';
    if (word != "|||" && !bracketed && word.find_first_of("\t\r") == std::string_view::npos) {
      out_ += word;
      return;
    }
    print_escaped(word);
  }
  void print_escaped(std::string_view word) {
    for (const char c : word) {
      if (std::string_view("|[]\t\r").find(c) == std::string_view::npos)
        out_ += c;
      else
        out_ += "&#" + std::to_string(static_cast<int>(c)) + ';';
    }
  }
  void print_nonterminal(uint32_t slot) {
    const std::string label = name(source_[slots_[slot]]);
    out_ += '[';
    out_ += label;
    out_ += moses() ? "][" : ",";
    out_ += moses() ? label : std::to_string(slot + 1);
    out_ += ']';
  }
  void print_source() {
    uint32_t slot = 0;
    for (size_t i = 0; i < source_.size(); ++i) {
      if (i > 0) out_ += ' ';
      if (text::is_word(source_[i]))
        print_word(table_.source_vocab().word(static_cast<uint32_t>(source_[i])));
      else
        print_nonterminal(slot++);
    }
  }
  void print_target() {
    for (size_t i = 0; i < target_.size(); ++i) {
      if (i > 0) out_ += ' ';
      if (text::is_word(target_[i]))
        print_word(table_.target_vocab().word(static_cast<uint32_t>(target_[i])));
      else
        print_nonterminal(text::slot_of(target_[i]));
    }
  }

  void print_number(float value) {
    char text[32];
    out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  }
  void print_scores(const io::FloatRow& scores) {
    if (moses()) {
      for (const size_t i : order_) {
        out_ += ' ';
        print_number(std::exp(scores[i]));
      }
      return;
    }
    size_t nameless = 0;  // features that the other system counts instead of naming them
    const std::string prefix = format_ == RuleFormat::cdec ? "PhraseModel_" : "tm_pt_";
    for (size_t i = 0; i < scores.size(); ++i) {
      out_ += ' ';
      if (names_[i] == prefix + std::to_string(nameless)) {
        ++nameless;
        print_number((format_ == RuleFormat::joshua ? -scores[i] : scores[i]) + 0.0f);
      } else {
        out_ += names_[i] + '=';
        print_number(scores[i]);
      }
    }
  }
  // A name is a single token that ends no field.
  void print_name(std::string_view name) {
    if (name != "|||" && name.find_first_of("\t\r") == std::string_view::npos)
      out_ += name;
    else
      print_escaped(name);
  }
  void print_sparse(features::SparseRow sparse, char between) {
    for (size_t k = 0; k < sparse.size(); ++k) {
      out_ += ' ';
      if (sparse.ids[k] < table_.sparse_space()->size())
        print_name(table_.sparse_space()->name(sparse.ids[k]));
      else
        out_ += '?';  // in a damaged table
      out_ += between;
      print_number(sparse.values[k]);
    }
  }
  void print_links(const RuleLinks& links) {
    std::vector<RuleLink> all(links.begin(), links.end());
    if (format_ == RuleFormat::moses_hiero)  // nonterminals are linked as words are
      for (size_t j = 0; j < target_.size(); ++j)
        if (!text::is_word(target_[j]))
          all.push_back(
              {static_cast<uint8_t>(slots_[text::slot_of(target_[j])]), static_cast<uint8_t>(j)});
    std::sort(all.begin(), all.end(), [](RuleLink a, RuleLink b) {
      return a.source != b.source ? a.source < b.source : a.target < b.target;
    });
    if (all.empty() && !moses()) return;
    out_ += " |||";
    for (const RuleLink link : all)
      out_ += ' ' + std::to_string(link.source) + '-' + std::to_string(link.target);
  }
  void print_counts(const io::FloatRow& counts, bool last) {
    if (counts.empty() && last) return;
    out_ += " |||";
    for (const float count : counts) {
      out_ += ' ';
      print_number(count);
    }
  }

  const RuleTable& table_;
  RuleFormat format_;
  std::string& out_;
  const std::vector<std::string>& names_;
  std::vector<size_t> order_;  // in which Moses' scores are written
  std::span<const text::Symbol> source_;
  io::PackedRow<text::Symbol> target_;
  std::vector<size_t> slots_;  // positions of the source side's nonterminals
};

}  // namespace

void print_rules(const RuleTable& table, RuleFormat format, uint32_t begin, uint32_t end,
                 std::string& out) {
  Printer printer(table, format, out);
  end = std::min(end, table.rules());
  if (begin >= end) return;
  uint32_t node = table.node_of(begin);
  std::vector<text::Symbol> source = table.source_of(node);
  for (uint32_t rule = begin; rule < end; ++rule) {
    if (rule >= table.last_rule(node)) {
      node = table.node_of(rule);
      source = table.source_of(node);
    }
    printer.print(rule, source);
  }
}

}  // namespace demotic::grammar
