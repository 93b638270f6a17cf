// Scores of whole texts: many lines, several threads, results in the order of the lines.
//
//   std::vector<LineScore> scores = score_text(model, "the house\nis small\n", options);
//
// Words are separated by ASCII white space.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lm/model.h"

namespace demotic::lm {

struct SentenceBorders {
  bool begin = true;  // score words after "<s>"
  bool end = true;    // score "</s>" as well
};

struct LineScore {
  double log10 = 0;
  double unknown_log10 = 0;  // the part that unknown words cost
  uint32_t words = 0;        // scored, with "</s>" where asked for
  uint32_t unknown = 0;
};

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Appends the model's ids of the words of one line.
void encode_line(const Model& model, std::string_view line, std::vector<uint32_t>& ids);

LineScore score_words(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders);
LineScore score_line(const Model& model, std::string_view line, SentenceBorders borders);

// Each word's score and match, with "</s>" last where asked for.
void score_each_word(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders,
                     std::vector<Score>& out);

std::vector<LineScore> score_text(const Model& model, std::string_view text,
                                  SentenceBorders borders, unsigned threads);

}  // namespace demotic::lm
