#include "grammar/rule_table_builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "io/error.h"

namespace demotic::grammar {

namespace {

// Values of a column that may be numbered.  Scores are looked at whenever something is translated,
// so that their values should stay in the cache; counts are not.
constexpr uint32_t kMostScores = 1u << 16;
constexpr uint32_t kMostCounts = 1u << 19;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

}  // namespace

RuleTableBuilder::RuleTableBuilder(std::string path, std::vector<std::string> categories,
                                   std::vector<std::string> features, text::VocabView source,
                                   text::VocabView target, size_t index_memory)
    : path_(std::move(path)),
      categories_(std::move(categories)),
      features_(std::move(features)),
      source_vocab_(source),
      target_vocab_(target),
      index_memory_(index_memory),
      trie_(static_cast<uint32_t>(categories_.size())),
      scores_(features_.size(), kMostScores),
      counts_(RuleTable::kCounts, kMostCounts) {}

void RuleTableBuilder::check(const RuleView& rule) const {
  if (rule.source.empty()) throw io::Error(io::Fault::argument, "a rule with an empty source side");
  if (rule.scores.size() != features_.size())
    throw io::Error(io::Fault::argument, "a rule with the wrong number of scores");
  if (rule.lhs >= categories_.size())
    throw io::Error(io::Fault::argument, "a rule of unknown category");
  for (const float score : rule.scores)
    if (!std::isfinite(score))
      throw io::Error(io::Fault::argument, "a rule with a score that is no number");
  uint32_t arity = 0;
  for (const text::Symbol symbol : rule.source) {
    if (!text::is_word(symbol) && category_of(symbol) >= categories_.size())
      throw io::Error(io::Fault::argument, "a rule over an unknown category");
    arity += text::is_word(symbol) ? 0 : 1;
  }
  if (arity > kMaxArity)
    throw io::Error(io::Fault::argument,
                    "a rule of more than " + std::to_string(kMaxArity) + " nonterminals");
  if (!repeats_slots(rule.target, arity))
    throw io::Error(io::Fault::argument, "a rule whose two sides have different nonterminals");
  if (!rule.counts.empty() && rule.counts.size() != RuleTable::kCounts)
    throw io::Error(io::Fault::argument, "a rule with the wrong number of counts");
  check_sparse(rule.sparse);
  if (rules_ == 0) return;
  if (rule.counts.empty() != !has_counts_)
    throw io::Error(io::Fault::argument, "some rules have counts and some have none");
  const std::span<const text::Symbol> last = trie_.source();
  const auto order = std::lexicographical_compare_three_way(last.begin(), last.end(),
                                                            rule.source.begin(), rule.source.end());
  const bool ascends =
      order < 0 ||
      (order == 0 && (last_lhs_ < rule.lhs ||
                      (last_lhs_ == rule.lhs &&
                       !std::lexicographical_compare(rule.target.begin(), rule.target.end(),
                                                     last_target_.begin(), last_target_.end()))));
  if (!ascends) throw io::Error(io::Fault::argument, "rules out of order");
}

void RuleTableBuilder::check_sparse(features::SparseRow sparse) const {
  const bool sound = sparse.ids.size() == sparse.values.size() &&
                     std::adjacent_find(sparse.ids.begin(), sparse.ids.end(),
                                        std::greater_equal<>()) == sparse.ids.end() &&
                     std::all_of(sparse.values.begin(), sparse.values.end(),
                                 [](float value) { return std::isfinite(value); });
  if (!sound) throw io::Error(io::Fault::argument, "a rule with unsound sparse features");
}

void RuleTableBuilder::add(const RuleView& rule) {
  check(rule);
  if (rules_ == UINT32_MAX - 1) throw io::Error(io::Fault::argument, "more than 2^32 rules");
  for (uint32_t made = trie_.descend(rule.source); made > 0; --made)
    rule_extents_.add(std::exchange(last_rules_, 0));
  add_sparse(rule.sparse);
  ++last_rules_;
  ++rules_;
  last_lhs_ = rule.lhs;
  last_target_.assign(rule.target.begin(), rule.target.end());

  lhs_.add(std::span(&rule.lhs, 1));
  targets_.add(rule.target);
  target_extents_.add(static_cast<uint32_t>(rule.target.size()));
  scores_.add(rule.scores);
  add_links(rule.links);
  origins_.add(rule.origins);
  origin_extents_.add(static_cast<uint32_t>(rule.origins.size()));
  has_counts_ = !rule.counts.empty();
  if (has_counts_) counts_.add(rule.counts);
}

void RuleTableBuilder::add_links(std::span<const RuleLink> links) {
  for (const RuleLink link : links)
    most_of_links_ = std::max({most_of_links_, link.source, link.target});
  links_.append(links.data(), links.size_bytes());
  link_extents_.add(static_cast<uint32_t>(links.size()));
}

RuleTableBuilder::SparseSpills& RuleTableBuilder::sparse_spills() {
  if (!sparse_) {
    sparse_.emplace();
    sparse_->end = 0;
    for (uint32_t border = 0; border <= rules_; ++border)
      sparse_->ends.append(&sparse_->end, sizeof sparse_->end);
  }
  return *sparse_;
}

void RuleTableBuilder::add_sparse(features::SparseRow sparse) {
  if (!sparse_ && sparse.empty()) return;
  SparseSpills& spills = sparse_spills();
  spills.ids.append(sparse.ids.data(), sparse.ids.size_bytes());
  spills.values.append(sparse.values.data(), sparse.values.size_bytes());
  spills.end += sparse.size();
  spills.ends.append(&spills.end, sizeof spills.end);
  if (!sparse.empty()) sparse_ids_ = std::max(sparse_ids_, sparse.ids.back() + 1);
}

// In one byte each where they fit.
void RuleTableBuilder::save_links(io::ContainerWriter& out) {
  if (!links_fit()) {
    links_.copy_to(out, "links");
    return;
  }
  std::vector<uint8_t> packed;
  out.begin("links");
  links_.each_block(sizeof(RuleLink), [&](std::span<const std::byte> block) {
    packed.clear();
    for (size_t at = 0; at < block.size(); at += sizeof(RuleLink))
      packed.push_back(static_cast<uint8_t>(block[at] | block[at + 1] << 4));
    out.write(packed.data(), packed.size());
  });
}

void RuleTableBuilder::finish(const features::FeatureSpace* sparse_space) {
  if (sparse_ids_ > (sparse_space == nullptr ? 0 : sparse_space->size()))
    throw io::Error(io::Fault::argument, "a rule with a sparse feature without a name");
  io::ContainerWriter out(path_, "rules", RuleTable::kVersion);
  source_vocab_.save(out, "source.vocab");
  target_vocab_.save(out, "target.vocab");
  out.section<char>("features", joined(features_));
  out.section<char>("categories", joined(categories_));
  RuleTableLayout layout{};
  layout.rules = rules_;
  layout.nodes = trie_.nodes();
  layout.trie = trie_.save(out, index_memory_);
  rule_extents_.add(last_rules_);
  rule_extents_.save<uint32_t>(out, "rule");
  layout.lhs_width = lhs_.width();
  if (categories_.size() != 1) lhs_.save(out, "lhs");
  layout.target_width = targets_.width();
  layout.target_bias = kMaxArity;
  targets_.save(out, "targets");
  target_extents_.save<uint64_t>(out, "target");
  scores_.save(out, "score");
  layout.link_bytes = links_fit() ? 1 : 2;
  save_links(out);
  link_extents_.save<uint64_t>(out, "link");
  layout.origin_width = origins_.width();
  origins_.save(out, "origins");
  origin_extents_.save<uint64_t>(out, "origin");
  if (has_counts_) counts_.save(out, "count");
  out.section<RuleTableLayout>("layout", std::span(&layout, 1));
  if (sparse_space != nullptr && sparse_space->size() > 0) {
    SparseSpills& spills = sparse_spills();
    sparse_space->save(out, "sparse.names");
    spills.ends.copy_to(out, "sparse.ends");
    spills.ids.copy_to(out, "sparse.ids");
    spills.values.copy_to(out, "sparse.values");
  }
  out.finish();
}

void copy_rules(const RuleTable& table, std::span<const char> kept, const std::string& path) {
  RuleTableBuilder out(path, table.categories(), table.feature_names(), table.source_vocab(),
                       table.target_vocab());
  RuleBuffer buffer;
  for (uint32_t node = 1; node < table.nodes(); ++node) {
    if (!table.owns_rules(node)) continue;
    const std::vector<text::Symbol> source = table.source_of(node);
    for (uint32_t rule = table.first_rule(node); rule < table.last_rule(node); ++rule)
      if (kept[rule] != 0) out.add(table.rule(rule, source, buffer));
  }
  out.finish(table.sparse_space().get());
}

}  // namespace demotic::grammar
