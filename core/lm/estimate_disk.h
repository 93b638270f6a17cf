// Estimation on disk, in the streaming passes of Heafield et al. (2013), section 3:
//
//   1. the distinct n-grams of the text in suffix order -> adjusted counts of all orders, each
//      order sorted by context;
//   2. per order, groups that share a context -> uninterpolated probability and interpolation
//      weight of each n-gram, sorted back into suffix order;
//   3. per order, joined with the order below and with the weights of the order above ->
//      interpolated probability and back-off.
//
// At any time the buffers stay within the memory allowed; the vocabulary comes on top.
#pragma once

#include <memory>

#include "lm/estimate.h"
#include "lm/estimate_memory.h"
#include "lm/estimate_spill.h"

namespace demotic::lm {

// `ngrams` is sealed and holds the text's n-grams of the highest order.
template <size_t Limbs>
std::unique_ptr<EstimatedModel> estimate_on_disk(
    std::unique_ptr<ExternalSorter<CountedNgram<Limbs>>> ngrams, text::Vocab vocab,
    const Pruning& pruning, const EstimateOptions& options, const NgramPacking& packing,
    const Tick& tick);

}  // namespace demotic::lm
