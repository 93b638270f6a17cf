// All blocks of aligned text, over threads; see block_extract.h for those of one sentence pair.
//
//   BlockExtraction extraction(max_words, longest);
//   extraction.run(source, target, links, nullptr, begin, end, threads);   a slice at a time
//   BlockTable table = extraction.finish(source_vocab, target_vocab, options, threads);
//
// Results do not depend on the number of threads.  Memory is that of the different blocks, and of
// the places found in a slice.
#pragma once

#include <cstdint>

#include "align/links.h"
#include "grammar/block_set.h"
#include "text/token_lines.h"

namespace demotic::grammar {

class BlockExtraction {
 public:
  // Pairs with more than `longest` words on a side are skipped and counted.
  BlockExtraction(uint32_t max_words, uint32_t longest)
      : max_words_(max_words), longest_(longest) {}

  // `all` asks for projection: `links` are those of the intersection, `all` those of the union.
  void run(const text::TokenLines& source, const text::TokenLines& target,
           const align::Links& links, const align::Links* all, size_t begin, size_t end,
           unsigned threads);
  BlockTable finish(const text::Vocab& source, const text::Vocab& target,
                    const BlockSetOptions& options, unsigned threads) {
    return set_.finish(source, target, options, threads);
  }
  uint64_t occurrences() const { return set_.occurrences(); }
  uint64_t skipped() const { return skipped_; }

 private:
  uint32_t max_words_, longest_;
  uint64_t skipped_ = 0;
  BlockSet set_;
};

}  // namespace demotic::grammar
