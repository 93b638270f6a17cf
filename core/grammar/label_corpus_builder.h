// Items with their labels and features, ready to learn from, out of aligned text.
//
//   LabelCorpusBuilder build({.templates = kPaperTemplates, .min_count = 5}, options);
//   build.add(source, target, links, begin, end);       some thousand sentence pairs at a time
//   LabelCorpora made = build.finish();                 .train, .held_out and the keys of rows
//
// Features seen fewer than `min_count` times in training get no row; those of the stack are counted
// as the right labels build it.  Of every `holdout` sentences one is held out.  Where items are
// composed, each training sentence comes twice: cut into the smallest items, and into composed
// ones.
#pragma once

#include <cstdint>
#include <vector>

#include "align/links.h"
#include "events/label_corpus.h"
#include "events/label_stack.h"
#include "grammar/itg_items.h"
#include "grammar/label_features.h"
#include "hash_index.h"
#include "text/token_lines.h"

namespace demotic::grammar {

struct LabelOptions {
  uint32_t templates = kPaperTemplates;  // or another set
  uint32_t min_count = 5;
  uint32_t max_reductions = 0;         // sentences with a label of more teach nothing; 0: no limit
  uint32_t holdout = 20;               // 0: nothing is held out
  bool words = false;                  // the items' target words are kept
  bool stack = false;                  // and so are the rows of what labels see of the stack
  std::vector<uint16_t> classes = {};  // of source words, for kClassTemplates
};

struct LabelCorpora {
  events::LabelCorpus train, held_out;
  std::vector<uint64_t> keys;  // by row
  uint64_t skipped = 0;        // pairs without links or words, or too long
  uint64_t beyond = 0;         // pairs with a label of too many reductions
};

class LabelCorpusBuilder {
 public:
  LabelCorpusBuilder(const LabelOptions& options, const ItgOptions& items);

  void add(const text::TokenLines& source, const text::TokenLines& target,
           const align::Links& links, size_t begin, size_t end);
  // Throws Error(argument) where no item is ever reduced.
  LabelCorpora finish();

 private:
  void add_sentence(events::LabelCorpus& corpus, std::span<const uint32_t> source,
                    std::span<const uint32_t> target);
  bool is_beyond() const;  // has the sentence a label of too many reductions?
  uint32_t number_of(uint64_t key, bool counts);
  void add_words(events::LabelCorpus& corpus, const ItgItem& item, std::span<const uint32_t> target,
                 bool forced, bool train);
  void renumber(events::LabelCorpus& corpus, std::span<const uint32_t> rows) const;

  LabelOptions options_;
  ItgExtractor extract_;
  LabelCorpora made_;
  uint64_t sentences_ = 0;  // with items
  HashIndex index_;         // of keys_
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> counts_;  // in training
  events::LabelStack stack_;
};

}  // namespace demotic::grammar
