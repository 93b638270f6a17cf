#include "grammar/rule_templates.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "io/error.h"

namespace demotic::grammar {

namespace {

// Names the features of one rule after the other.
class RuleNamer {
 public:
  RuleNamer(const RuleTable& table, const RuleTemplateOptions& options)
      : table_(table), options_(options) {}

  // Valid until the next call.
  const std::vector<std::string>& operator()(const RuleView& rule) {
    names_.clear();
    gaps_.clear();
    for (const text::Symbol symbol : rule.source)
      if (!text::is_word(symbol)) gaps_.push_back(category(category_of(symbol)));
    if (options_.rule) name_rule(rule);
    if (options_.source_bigrams) name_bigrams("source|", source_words(rule));
    if (options_.target_bigrams) name_bigrams("target|", target_words(rule));
    if (options_.pairs) name_pairs(rule);
    if (options_.shape) name_shape(rule);
    return names_;
  }

 private:
  using Texts = std::vector<std::string>;

  void name_rule(const RuleView& rule) {
    Texts source = source_words(rule);
    Texts target = target_words(rule);
    uint32_t slot = 0;
    for (size_t i = 0; i < source.size(); ++i)
      if (!text::is_word(rule.source[i])) {
        source[i] = '[' + gaps_[slot] + ',' + std::to_string(slot + 1) + ']';
        ++slot;
      }
    for (size_t i = 0; i < target.size(); ++i)
      if (!text::is_word(rule.target[i])) target[i] = '[' + number(rule.target[i]) + ']';
    names_.push_back("rule|" + category(rule.lhs) + '|' + joined(source) + '|' + joined(target));
  }

  void name_bigrams(std::string_view prefix, const Texts& side) {
    for (size_t i = 0; i + 1 < side.size(); ++i)
      if (!is_gap(side[i]) || !is_gap(side[i + 1]))
        names_.push_back(std::string(prefix) + side[i] + '_' + side[i + 1]);
  }

  void name_pairs(const RuleView& rule) {
    for (const RuleLink link : rule.links) {
      if (link.source >= rule.source.size() || link.target >= rule.target.size()) continue;
      const text::Symbol source = rule.source[link.source];
      const text::Symbol target = rule.target[link.target];
      if (text::is_word(source) && text::is_word(target))
        names_.push_back("pair|" + word(table_.source_vocab(), source) + '_' +
                         word(table_.target_vocab(), target));
    }
  }

  void name_shape(const RuleView& rule) {
    Texts source, target;
    uint32_t slot = 0;
    for (const text::Symbol symbol : rule.source)
      source.push_back(text::is_word(symbol) ? "w" : std::to_string(++slot));
    for (const text::Symbol symbol : rule.target)
      target.push_back(text::is_word(symbol) ? "w" : number(symbol));
    names_.push_back("shape|" + joined(source) + '|' + joined(target));
  }

  // A side's words, and its nonterminals as [X].
  Texts source_words(const RuleView& rule) const {
    Texts texts;
    uint32_t slot = 0;
    for (const text::Symbol symbol : rule.source)
      texts.push_back(text::is_word(symbol) ? word(table_.source_vocab(), symbol)
                                            : '[' + gaps_[slot++] + ']');
    return texts;
  }
  Texts target_words(const RuleView& rule) const {
    Texts texts;
    for (const text::Symbol symbol : rule.target) {
      if (text::is_word(symbol)) {
        texts.push_back(word(table_.target_vocab(), symbol));
      } else {
        const uint32_t slot = text::slot_of(symbol);  // any number in a damaged table
        texts.push_back('[' + (slot < gaps_.size() ? gaps_[slot] : "?") + ']');
      }
    }
    return texts;
  }

  // No word looks like this: its brackets are written otherwise.
  static bool is_gap(const std::string& text) { return text.starts_with('['); }
  static std::string number(text::Symbol slot) { return std::to_string(text::slot_of(slot) + 1); }
  static std::string joined(const Texts& texts) {
    std::string all;
    for (size_t i = 0; i < texts.size(); ++i) all += (i == 0 ? "" : "_") + texts[i];
    return all;
  }
  static std::string word(text::VocabView vocab, text::Symbol id) {
    constexpr std::string_view kSigns = "_|[] \t\r\n";
    std::string text;
    for (const char c : vocab.word(static_cast<uint32_t>(id))) {
      if (kSigns.find(c) == std::string_view::npos)
        text += c;
      else
        text += "&#" + std::to_string(static_cast<int>(c)) + ';';
    }
    return text;
  }
  std::string category(uint32_t id) const {
    return id < table_.categories().size() ? table_.categories()[id] : "?";
  }

  const RuleTable& table_;
  const RuleTemplateOptions& options_;
  Texts gaps_;  // categories of the source side's nonterminals
  Texts names_;
};

}  // namespace

RuleTemplates::RuleTemplates(const RuleTable& table, const RuleTemplateOptions& options)
    : table_(table),
      options_(options),
      counted_({}, options.bits),
      counts_(counted_.size(), 0.0),
      names_({}, options.bits) {
  const features::FeatureSpace* known = table.sparse_space().get();
  if (known == nullptr) return;
  if (known->bits() != 0 && known->bits() != options.bits)
    throw io::Error(io::Fault::argument,
                    "the table's features are hashed to " + std::to_string(known->bits()) + " bits",
                    0, "choose the same number");
  // A hashed place keeps its number.
  if (known->bits() != 0) return;
  for (uint32_t id = 0; id < known->size(); ++id) kept_.push_back(names_.add(known->name(id)));
}

void RuleTemplates::keep(std::span<const uint32_t> ids) {
  const features::FeatureSpace* known = table_.sparse_space().get();
  if (known == nullptr) return;
  kept_.assign(known->size(), features::kNoFeature);
  const bool hashed = known->bits() != 0;
  if (!hashed) names_ = features::FeatureSpaceBuilder({}, options_.bits);
  for (const uint32_t id : ids) {
    if (id >= known->size())
      throw io::Error(io::Fault::argument, "the table has no sparse feature " + std::to_string(id));
    kept_[id] = hashed ? id : names_.add(known->name(id));
  }
}

template <class Visit>
void RuleTemplates::each_rule(uint32_t begin, uint32_t end, Visit&& visit) const {
  end = std::min(end, table_.rules());
  if (begin >= end) return;
  uint32_t node = table_.node_of(begin);
  std::vector<text::Symbol> source = table_.source_of(node);
  RuleBuffer buffer;
  for (uint32_t rule = begin; rule < end; ++rule) {
    if (rule >= table_.last_rule(node)) {
      node = table_.node_of(rule);
      source = table_.source_of(node);
    }
    visit(table_.rule(rule, source, buffer));
  }
}

void RuleTemplates::count(uint32_t begin, uint32_t end) {
  RuleNamer names(table_, options_);
  each_rule(begin, end, [&](const RuleView& rule) {
    sum_.clear();
    for (const std::string& name : names(rule)) sum_.add(counted_.add(name), 1);
    sum_.finish();
    counts_.resize(counted_.size(), 0.0);
    const double count = rule.counts.empty() ? 1.0 : rule.counts[2];
    for (const uint32_t id : sum_.ids()) counts_[id] += count;
  });
}

void RuleTemplates::add(uint32_t begin, uint32_t end, RuleTableBuilder& out) {
  if (options_.min_count > 0 && countable_ == nullptr) countable_ = counted_.finish();
  RuleNamer names(table_, options_);
  const auto is_rare = [&](const std::string& name) {
    if (countable_ == nullptr) return false;
    const uint32_t id = countable_->find(name);
    return id >= counts_.size() || counts_[id] < options_.min_count;
  };
  each_rule(begin, end, [&](RuleView rule) {
    sum_.clear();
    for (size_t k = 0; k < rule.sparse.size(); ++k) {
      const uint32_t id = rule.sparse.ids[k];
      if (!kept_.empty() && id >= kept_.size()) continue;  // in a damaged table
      if (!kept_.empty() && kept_[id] == features::kNoFeature) continue;
      sum_.add(kept_.empty() ? id : kept_[id], rule.sparse.values[k]);
    }
    for (const std::string& name : names(rule))
      if (!is_rare(name)) sum_.add(names_.add(name), 1);
    sum_.finish();
    rule.sparse = {sum_.ids(), sum_.values()};
    out.add(rule);
  });
}

}  // namespace demotic::grammar
