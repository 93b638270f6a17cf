#include "grammar/rule_table.h"

#include <cmath>
#include <functional>
#include <string_view>

#include "io/error.h"
#include "text/token_lines.h"
#include "text/utf8.h"

namespace demotic::grammar {

namespace {

std::vector<std::string> names(const io::Container& container, std::string_view section) {
  const std::span<const char> text = container.section<char>(section);
  std::vector<std::string> out;
  text::for_each_line({text.data(), text.size()},
                      [&](std::string_view line) { out.emplace_back(line); });
  return out;
}

// Text, each once.
bool are_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end() &&
         std::all_of(names.begin(), names.end(), text::is_utf8);
}

void require(bool holds) {
  if (!holds)
    throw io::Error(io::Fault::corrupt, "damaged rule table", 0,
                    "copy the file again or rebuild it");
}

}  // namespace

RuleTable::RuleTable(const std::string& path, std::optional<bool> verify)
    : container_(std::make_shared<const io::Container>(path, "rules", kVersion)),
      source_vocab_(*container_, "source.vocab"),
      target_vocab_(*container_, "target.vocab"),
      feature_names_(names(*container_, "features")),
      categories_(names(*container_, "categories")),
      steps_(container_->section<Step>("steps")),
      parents_(container_->section<uint32_t>("parents")),
      symbols_(container_->section<text::Symbol>("symbols")),
      rule_ends_(container_->section<uint32_t>("rule.ends")),
      lhs_(container_->section<uint32_t>("lhs")),
      targets_(container_->section<text::Symbol>("targets")),
      target_ends_(container_->section<uint64_t>("target.ends")),
      scores_(container_->section<float>("scores")),
      links_(container_->section<RuleLink>("links")),
      link_ends_(container_->section<uint64_t>("link.ends")),
      origins_(container_->section<uint32_t>("origins")),
      origin_ends_(container_->section<uint64_t>("origin.ends")),
      counts_(container_->section<float>("counts")) {
  if (container_->has("sparse.ends")) {
    sparse_space_ = features::FeatureSpace::load(container_, "sparse.names");
    sparse_ = features::SparseRowsView::load(*container_, "sparse");
  }
  const bool check = verify.value_or(container_->file_size() <= kSmallFile);
  if (check) container_->verify();
  const size_t count = target_ends_.size();
  require(!steps_.empty() && (steps_.size() & (steps_.size() - 1)) == 0);
  require(!rule_ends_.empty() && parents_.size() == rule_ends_.size() &&
          symbols_.size() == rule_ends_.size() && rule_ends_.size() < kNone);
  require(count < kMaxRules && are_names(feature_names_) && are_names(categories_));
  require(lhs_.size() == count && link_ends_.size() == count && origin_ends_.size() == count);
  require(scores_.size() == count * features());
  require(counts_.empty() || counts_.size() == count * kCounts);
  if (check) check_rules();
}

// What a checksum cannot know: that whoever wrote the file wrote a rule table.
void RuleTable::check_rules() const {
  require(std::count_if(steps_.begin(), steps_.end(),
                        [](const Step& step) { return step.child != kNone; }) == nodes() - 1);
  require(source_vocab_.is_sound() && target_vocab_.is_sound());
  std::vector<uint8_t> arity(nodes(), 0);
  for (uint32_t node = 0; node < nodes(); ++node) {
    require(rule_ends_[node] <= rules() && (node == 0 || rule_ends_[node - 1] <= rule_ends_[node]));
    if (node == kRoot) {
      require(rule_ends_[node] == 0);
      continue;
    }
    require(parents_[node] < node && step(parents_[node], symbols_[node]) == node);
    const text::Symbol symbol = symbols_[node];
    require(text::is_word(symbol) ? static_cast<uint32_t>(symbol) < source_vocab_.size()
                                  : category_of(symbol) < categories_.size());
    arity[node] = static_cast<uint8_t>(arity[parents_[node]] + (text::is_word(symbol) ? 0 : 1));
    require(arity[node] <= kMaxArity);
    for (uint32_t rule = first_rule(node); rule < last_rule(node); ++rule) {
      require(usable(rule, arity[node]));
      for (const text::Symbol word : target(rule))
        require(!text::is_word(word) || static_cast<uint32_t>(word) < target_vocab_.size());
    }
  }
  require(rule_ends_.back() == rules());
  require(io::ends_fit(target_ends_, targets_.size()) && io::ends_fit(link_ends_, links_.size()) &&
          io::ends_fit(origin_ends_, origins_.size()));
  for (const float score : scores_) require(std::isfinite(score));
  check_sparse();
}

void RuleTable::check_sparse() const {
  if (sparse_space_ == nullptr) return;
  sparse_space_->check();
  require(sparse_space_->dense() == 0);
  features::check(sparse_, rules(), sparse_space_->size(), io::Fault::corrupt);
  for (uint32_t rule = 0; rule < rules(); ++rule) {
    const std::span<const uint32_t> ids = sparse(rule).ids;
    require(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end());
  }
}

uint32_t RuleTable::node_of(uint32_t rule) const {
  const auto at = std::upper_bound(rule_ends_.begin(), rule_ends_.end(), rule);
  return std::min(static_cast<uint32_t>(at - rule_ends_.begin()), nodes() - 1);
}

std::vector<text::Symbol> RuleTable::source_of(uint32_t node) const {
  std::vector<text::Symbol> source;
  while (node != kRoot && node < nodes()) {
    source.push_back(symbols_[node]);
    if (parents_[node] >= node) break;  // damaged: parents stand before their children
    node = parents_[node];
  }
  std::reverse(source.begin(), source.end());
  return source;
}

}  // namespace demotic::grammar
