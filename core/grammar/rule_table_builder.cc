#include "grammar/rule_table_builder.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "hash_index.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

}  // namespace

RuleTableBuilder::Spill::Spill() : file_(std::tmpfile()) {
  if (!file_)
    throw io::Error(io::Fault::io, std::string("no temporary file: ") + std::strerror(errno));
}

void RuleTableBuilder::Spill::append(const void* data, size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, file_.get()) != size)
    throw io::Error(io::Fault::io, std::string("temporary file: ") + std::strerror(errno), 0,
                    "free some disk space or set TMPDIR");
}

void RuleTableBuilder::Spill::copy_to(io::ContainerWriter& out, std::string_view name) {
  out.begin(name);
  if (std::fflush(file_.get()) != 0)
    throw io::Error(io::Fault::io, std::string("temporary file: ") + std::strerror(errno), 0,
                    "free some disk space or set TMPDIR");
  std::rewind(file_.get());
  std::vector<char> buffer(size_t{1} << 20);
  for (size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), file_.get())) > 0;)
    out.write(buffer.data(), got);
}

RuleTableBuilder::RuleTableBuilder(std::string path, std::vector<std::string> categories,
                                   std::vector<std::string> features, text::VocabView source,
                                   text::VocabView target)
    : path_(std::move(path)),
      categories_(std::move(categories)),
      features_(std::move(features)),
      source_vocab_(source),
      target_vocab_(target),
      path_nodes_{RuleTable::kRoot} {}

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
  const auto order = std::lexicographical_compare_three_way(source_.begin(), source_.end(),
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

// Moves to the trie node of `source`, creating what is missing; ascending sources give preorder.
void RuleTableBuilder::descend(std::span<const text::Symbol> source) {
  size_t shared = 0;
  while (shared < source.size() && shared < source_.size() && source[shared] == source_[shared])
    ++shared;
  source_.assign(source.begin(), source.end());
  path_nodes_.resize(shared + 1);
  for (size_t i = shared; i < source.size(); ++i) {
    const auto node = static_cast<uint32_t>(parents_.size());
    parents_.push_back(path_nodes_.back());
    symbols_.push_back(source[i]);
    rule_ends_.push_back(rules_);
    path_nodes_.push_back(node);
  }
}

void RuleTableBuilder::add(const RuleView& rule) {
  check(rule);
  if (rules_ == UINT32_MAX - 1) throw io::Error(io::Fault::argument, "more than 2^32 rules");
  descend(rule.source);
  add_sparse(rule.sparse);
  rule_ends_.back() = ++rules_;
  last_lhs_ = rule.lhs;
  last_target_.assign(rule.target.begin(), rule.target.end());

  lhs_.append(&rule.lhs, sizeof rule.lhs);
  targets_.append(rule.target.data(), rule.target.size_bytes());
  scores_.append(rule.scores.data(), rule.scores.size_bytes());
  links_.append(rule.links.data(), rule.links.size_bytes());
  origins_.append(rule.origins.data(), rule.origins.size_bytes());
  counts_.append(rule.counts.data(), rule.counts.size_bytes());
  has_counts_ = !rule.counts.empty();
  target_end_ += rule.target.size();
  link_end_ += rule.links.size();
  origin_end_ += rule.origins.size();
  target_ends_.append(&target_end_, sizeof target_end_);
  link_ends_.append(&link_end_, sizeof link_end_);
  origin_ends_.append(&origin_end_, sizeof origin_end_);
}

RuleTableBuilder::SparseSpills& RuleTableBuilder::sparse_spills() {
  if (!sparse_) {
    sparse_.emplace();
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

void RuleTableBuilder::finish(const features::FeatureSpace* sparse_space) {
  if (sparse_ids_ > (sparse_space == nullptr ? 0 : sparse_space->size()))
    throw io::Error(io::Fault::argument, "a rule with a sparse feature without a name");
  const size_t slots = std::bit_ceil(parents_.size() * 2);
  std::vector<RuleTable::Step> steps(slots, {0, 0, RuleTable::kNone});
  for (uint32_t node = 1; node < parents_.size(); ++node) {
    const uint64_t hash = RuleTable::hash_of_step(parents_[node], symbols_[node]);
    const auto is_free = [&](size_t at) { return steps[at].child == RuleTable::kNone; };
    steps[probe(slots, hash, is_free)] = {parents_[node], symbols_[node], node};
  }
  io::ContainerWriter out(path_, "rules", RuleTable::kVersion);
  source_vocab_.save(out, "source.vocab");
  target_vocab_.save(out, "target.vocab");
  out.section<char>("features", joined(features_));
  out.section<char>("categories", joined(categories_));
  out.section<RuleTable::Step>("steps", steps);
  out.section<uint32_t>("parents", parents_);
  out.section<text::Symbol>("symbols", symbols_);
  out.section<uint32_t>("rule.ends", rule_ends_);
  lhs_.copy_to(out, "lhs");
  targets_.copy_to(out, "targets");
  target_ends_.copy_to(out, "target.ends");
  scores_.copy_to(out, "scores");
  links_.copy_to(out, "links");
  link_ends_.copy_to(out, "link.ends");
  origins_.copy_to(out, "origins");
  origin_ends_.copy_to(out, "origin.ends");
  counts_.copy_to(out, "counts");
  if (sparse_space != nullptr && sparse_space->size() > 0) {
    SparseSpills& spills = sparse_spills();
    sparse_space->save(out, "sparse.names");
    spills.ends.copy_to(out, "sparse.ends");
    spills.ids.copy_to(out, "sparse.ids");
    spills.values.copy_to(out, "sparse.values");
  }
  out.finish();
}

}  // namespace demotic::grammar
