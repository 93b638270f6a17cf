#include "grammar/block_costs.h"

#include <algorithm>
#include <string>

#include "io/error.h"

namespace demotic::grammar {

UnigramCost unigram_cost(std::string_view name) {
  if (name == "raw") return UnigramCost::raw;
  if (name == "per-word") return UnigramCost::per_word;
  if (name == "equal-length") return UnigramCost::equal_length;
  throw io::Error(io::Fault::argument, "there is no unigram cost '" + std::string(name) + "'", 0,
                  "raw, per-word or equal-length");
}

BlockCosts::BlockCosts(const BlockTable& table, const lm::Model* lm,
                       const BlockCostOptions& options)
    : table_(&table),
      lm_(lm),
      options_(options),
      log_total_(std::log(static_cast<double>(std::max<uint64_t>(1, table.totals().count)))) {
  if (!std::isfinite(options.smoothing) || options.smoothing < 0)
    throw io::Error(io::Fault::argument, "smoothing is a finite number, 0 or more");
  const double left = static_cast<double>(table.totals().left);
  const double both = left + static_cast<double>(table.totals().right);
  share_left_ = both > 0 ? left / both : 0.5;
  if (options.unigram == UnigramCost::equal_length) {
    log_by_length_.assign(table.totals().max_words + size_t{1}, 0.0);
    for (uint32_t p = 0; p < table.phrases(); ++p)
      if (const size_t size = table.source(p).size(); size < log_by_length_.size())
        for (const uint32_t b : table.blocks_of(p)) log_by_length_[size] += table.count(b);
    for (double& each : log_by_length_) each = std::log(std::max(1.0, each));
  }
  if (lm == nullptr) return;
  lm_words_.resize(table.target_vocab().size());
  for (uint32_t word = 0; word < lm_words_.size(); ++word)
    lm_words_[word] = lm->find(table.target_vocab().word(word));
}

}  // namespace demotic::grammar
