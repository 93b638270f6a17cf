// Rules for some sentences straight from aligned text, without a table of all rules
// (Callison-Burch, Bannard and Schroeder 2005; Lopez 2007).
//
//   LazyRules rules(text, lexical, span);
//   rules.write(sentences, path, threads);          a rule table like any other, of few rules
//
// A source side consists of runs of words.  Its rarest run in the text is its anchor; the places of
// the anchor are looked at, all of them or `sample` of them at even distances among the text's
// places in order, so that the same rules come out every time and for any other sentences.  Every
// rule of the extractor whose source side is wanted and has its anchor at one of these places
// counts. Where all places are looked at, rules, masses and links are those of a table; where not,
// they are those of the sample.
//
// P(f|e) needs the count of a target side in all of the text, which no sample of source sides
// gives. It is taken to be the sentences that gave the rule, times what each place of the sample
// stands for, by how often the target side's rarest run stands in the target text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/lexical_table.h"
#include "grammar/aligned_text.h"

namespace demotic::grammar {

class LazyRules {
 public:
  // `span`: no rule is wanted for more words of a sentence.  The others outlive this.
  LazyRules(const AlignedText& text, const align::LexicalTable& lexical, uint32_t span);

  void write(const std::vector<std::vector<std::string>>& sentences, const std::string& path,
             unsigned threads) const;

 private:
  const AlignedText& text_;
  const align::LexicalTable& lexical_;
  uint32_t span_;
};

}  // namespace demotic::grammar
