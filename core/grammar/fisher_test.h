// Do two things meet in more sentences than chance explains?  Fisher's exact test, as Johnson,
// Martin, Foster and Kuhn (2007) use it to thin out phrase tables.
//
//   double evidence = fisher_evidence({.pair = 3, .source = 4, .target = 5}, 1000);
//
// The negative natural logarithm of the probability that, of 1000 sentences, a source side in 4 and
// a target side in 5 of them share 3 or more by chance: the upper tail of the hypergeometric
// distribution.  What is seen once, with sides that are seen once, has log(1000).
#pragma once

#include <cstdint>

namespace demotic::grammar {

struct SentenceCounts {
  int64_t pair = 0;    // sentences that have both
  int64_t source = 0;  // that have the source side
  int64_t target = 0;
};

// Throws Error(argument) where such counts cannot be.
double fisher_evidence(const SentenceCounts& seen, int64_t sentences);

}  // namespace demotic::grammar
