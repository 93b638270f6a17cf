#include "grammar/target_bigrams.h"

#include <utility>

#include "io/error.h"

namespace demotic::grammar {

namespace {

constexpr uint32_t kUnseen = UINT32_MAX;
constexpr uint32_t kSeen = UINT32_MAX - 1;
constexpr size_t kMaxSymbols = 2000;  // pairs of them have a place each

}  // namespace

TargetBigrams::TargetBigrams(std::vector<std::string> names, std::vector<uint32_t> symbols,
                             uint32_t x)
    : names_(std::move(names)), symbols_(std::move(symbols)), x_(x) {
  if (names_.empty() || names_.size() > kMaxSymbols)
    throw io::Error(io::Fault::argument, std::to_string(names_.size()) + " symbols for words", 0,
                    "there may be " + std::to_string(kMaxSymbols));
  for (const uint32_t symbol : symbols_)
    if (symbol >= names_.size()) throw io::Error(io::Fault::argument, "a symbol without a name");
  if (x_ >= names_.size()) throw io::Error(io::Fault::argument, "a symbol without a name");
  ids_.assign(names_.size() * names_.size(), kUnseen);
}

void TargetBigrams::meet(std::span<const text::Symbol> target) {
  each(target, [&](size_t pair) { ids_[pair] = kSeen; });
}

void TargetBigrams::freeze() {
  features::FeatureSpaceBuilder names;
  for (size_t pair = 0; pair < ids_.size(); ++pair) {
    if (ids_[pair] == kUnseen) continue;
    ids_[pair] =
        names.add("bigram|" + names_[pair / names_.size()] + '_' + names_[pair % names_.size()]);
  }
  space_ = names.finish();
  numbered_ = space_->size();
}

features::SparseRow TargetBigrams::row(std::span<const text::Symbol> target) {
  sum_.clear();
  each(target, [&](size_t pair) {
    if (ids_[pair] < numbered_) sum_.add(ids_[pair], 1);
  });
  sum_.finish();
  return {sum_.ids(), sum_.values()};
}

double TargetBigrams::score(std::span<const text::Symbol> target,
                            std::span<const double> weights) const {
  double sum = 0;
  each(target, [&](size_t pair) {
    if (ids_[pair] < weights.size()) sum += weights[ids_[pair]];
  });
  return sum;
}

}  // namespace demotic::grammar
