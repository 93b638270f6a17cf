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

// Of either version.
std::shared_ptr<const io::Container> open(const std::string& path) {
  const bool first = io::Container(path).version() == 1;
  return std::make_shared<const io::Container>(path, "rules", first ? 1 : RuleTable::kVersion);
}

}  // namespace

RuleTable::RuleTable(const std::string& path, std::optional<bool> verify)
    : container_(open(path)),
      source_vocab_(*container_, "source.vocab"),
      target_vocab_(*container_, "target.vocab"),
      feature_names_(names(*container_, "features")),
      categories_(names(*container_, "categories")) {
  if (container_->has("sparse.ends")) {
    sparse_space_ = features::FeatureSpace::load(container_, "sparse.names");
    sparse_ = features::SparseRowsView::load(*container_, "sparse");
  }
  const bool check = verify.value_or(container_->file_size() <= kSmallFile);
  if (check) container_->verify();
  if (container_->version() == 1)
    read_version_1();
  else
    read_packed();
  require_sound(rule_extents_.size() == nodes() && nodes() < kNone);
  require_sound(rules() < kMaxRules && are_names(feature_names_) && are_names(categories_));
  require_sound(scores_.columns() == features() && scores_.rows() == rules());
  require_sound(!has_lhs_ || lhs_.size() == rules());
  require_sound(!has_counts() || (counts_.columns() == kCounts && counts_.rows() == rules()));
  if (check) check_rules();
}

void RuleTable::read_packed() {
  const std::span<const RuleTableLayout> one = container_->section<RuleTableLayout>("layout");
  require_sound(one.size() == 1);
  const RuleTableLayout& layout = one.front();
  trie_ = RuleTrie(*container_, layout.trie);
  rule_extents_ = io::RowExtents<uint32_t>::load(*container_, "rule", layout.nodes);
  has_lhs_ = container_->has("lhs");
  if (has_lhs_) lhs_ = {container_->section<std::byte>("lhs"), layout.lhs_width, 0};
  targets_ = {container_->section<std::byte>("targets"), layout.target_width, layout.target_bias};
  target_extents_ = io::RowExtents<uint64_t>::load(*container_, "target", layout.rules);
  scores_ = io::FloatRows::load(*container_, "score", layout.rules);
  links_ = container_->section<uint8_t>("links");
  link_bytes_ = layout.link_bytes;
  require_sound((link_bytes_ == 1 || link_bytes_ == 2) && links_.size() % link_bytes_ == 0);
  link_extents_ = io::RowExtents<uint64_t>::load(*container_, "link", layout.rules);
  origins_ = {container_->section<std::byte>("origins"), layout.origin_width, 0};
  origin_extents_ = io::RowExtents<uint64_t>::load(*container_, "origin", layout.rules);
  if (container_->has("count.rows"))
    counts_ = io::FloatRows::load(*container_, "count", layout.rules);
}

// All numbers as they are, in four or eight bytes.
void RuleTable::read_version_1() {
  trie_ = RuleTrie(*container_);
  rule_extents_ = io::RowExtents<uint32_t>::load(*container_, "rule", trie_.nodes());
  has_lhs_ = true;
  lhs_ = io::PackedInts<uint32_t>(container_->section<uint32_t>("lhs"));
  const size_t rules = lhs_.size();
  targets_ = io::PackedInts<text::Symbol>(container_->section<text::Symbol>("targets"));
  target_extents_ = io::RowExtents<uint64_t>::load(*container_, "target", rules);
  scores_ = io::FloatRows(container_->section<float>("scores"), features(), rules);
  links_ = container_->section<uint8_t>("links");
  require_sound(links_.size() % 2 == 0);
  link_extents_ = io::RowExtents<uint64_t>::load(*container_, "link", rules);
  origins_ = io::PackedInts<uint32_t>(container_->section<uint32_t>("origins"));
  origin_extents_ = io::RowExtents<uint64_t>::load(*container_, "origin", rules);
  const std::span<const float> counts = container_->section<float>("counts");
  if (!counts.empty()) counts_ = io::FloatRows(counts, kCounts, rules);
}

RuleLinks RuleTable::links(uint32_t rule) const {
  const auto [begin, end] = link_extents_[rule];
  if (begin > end || end > links_.size() / link_bytes_) return {};
  return {links_.subspan(begin * link_bytes_, (end - begin) * link_bytes_), link_bytes_};
}

RuleView RuleTable::rule(uint32_t rule, std::span<const text::Symbol> source,
                         RuleBuffer& buffer) const {
  const auto copy = [](const auto& row, auto& to) { to.assign(row.begin(), row.end()); };
  copy(target(rule), buffer.target);
  copy(scores(rule), buffer.scores);
  copy(links(rule), buffer.links);
  copy(origins(rule), buffer.origins);
  copy(counts(rule), buffer.counts);
  return {lhs(rule),    source,         buffer.target, buffer.scores,
          buffer.links, buffer.origins, buffer.counts, sparse(rule)};
}

// What a checksum cannot know: that whoever wrote the file wrote a rule table.
void RuleTable::check_rules() const {
  require_sound(trie_.is_sound());
  require_sound(source_vocab_.is_sound() && target_vocab_.is_sound());
  require_sound(rule_extents_.fit(rules()) && first_rule(kRoot) == last_rule(kRoot));
  require_sound(target_extents_.fit(targets_.size()) && origin_extents_.fit(origins_.size()) &&
                link_extents_.fit(links_.size() / link_bytes_));
  std::vector<uint8_t> arity(nodes(), 0);
  for (uint32_t node = 1; node < nodes(); ++node) {
    const text::Symbol symbol = this->symbol(node);
    require_sound(text::is_word(symbol) ? static_cast<uint32_t>(symbol) < source_vocab_.size()
                                        : category_of(symbol) < categories_.size());
    arity[node] = static_cast<uint8_t>(arity[parent(node)] + (text::is_word(symbol) ? 0 : 1));
    require_sound(arity[node] <= kMaxArity);
    for (uint32_t rule = first_rule(node); rule < last_rule(node); ++rule)
      check_rule(rule, arity[node]);
  }
  check_sparse();
}

void RuleTable::check_rule(uint32_t rule, uint32_t arity) const {
  require_sound(usable(rule, arity));
  for (const text::Symbol word : target(rule))
    require_sound(!text::is_word(word) || static_cast<uint32_t>(word) < target_vocab_.size());
  for (const float score : scores(rule)) require_sound(std::isfinite(score));
}

void RuleTable::check_sparse() const {
  if (sparse_space_ == nullptr) return;
  sparse_space_->check();
  require_sound(sparse_space_->dense() == 0);
  features::check(sparse_, rules(), sparse_space_->size(), io::Fault::corrupt);
  for (uint32_t rule = 0; rule < rules(); ++rule) {
    const std::span<const uint32_t> ids = sparse(rule).ids;
    require_sound(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end());
  }
}

}  // namespace demotic::grammar
