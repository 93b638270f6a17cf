#include "lm/batch.h"

#include "parallel.h"
#include "text/token_lines.h"

namespace demotic {

namespace {

constexpr size_t kChunk = size_t{1} << 16;  // bytes of text that a thread takes at a time

template <class Each>
void for_each_id(const Model& model, std::string_view line, Each&& each) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    while (at != end && !is_space(*at)) ++at;
    each(model.find({begin, static_cast<size_t>(at - begin)}));
  }
}

// Adds up the words of one line as they come.
class LineScorer {
 public:
  LineScorer(const Model& model, SentenceBorders borders)
      : model_(model), state_(borders.begin ? model.begin_sentence() : model.empty_context()) {}

  Score word(uint32_t id) {
    const Score s = model_.score(state_, id, state_);
    total.log10 += s.prob;
    ++total.words;
    if (id == kUnknown) {
      total.unknown_log10 += s.prob;
      ++total.unknown;
    }
    return s;
  }

  LineScore total;

 private:
  const Model& model_;
  State state_;
};

}  // namespace

void encode_line(const Model& model, std::string_view line, std::vector<uint32_t>& ids) {
  for_each_id(model, line, [&](uint32_t id) { ids.push_back(id); });
}

LineScore score_words(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders) {
  LineScorer scorer(model, borders);
  for (const uint32_t id : ids) scorer.word(id);
  if (borders.end) scorer.word(model.end_word());
  return scorer.total;
}

LineScore score_line(const Model& model, std::string_view line, SentenceBorders borders) {
  LineScorer scorer(model, borders);
  for_each_id(model, line, [&](uint32_t id) { scorer.word(id); });
  if (borders.end) scorer.word(model.end_word());
  return scorer.total;
}

void score_each_word(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders,
                     std::vector<Score>& out) {
  LineScorer scorer(model, borders);
  for (const uint32_t id : ids) out.push_back(scorer.word(id));
  if (borders.end) out.push_back(scorer.word(model.end_word()));
}

std::vector<LineScore> score_text(const Model& model, std::string_view text,
                                  SentenceBorders borders, unsigned threads) {
  // Chunks of whole lines, the same for any number of threads.
  std::vector<std::string_view> chunks;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', std::min(at + kChunk, text.size()) - 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    chunks.push_back(text.substr(at, end - at));
    at = end;
  }
  std::vector<std::vector<LineScore>> scored(chunks.size());
  parallel_for(chunks.size(), threads, [&](size_t chunk, unsigned) {
    for_each_line(chunks[chunk], [&](std::string_view line) {
      scored[chunk].push_back(score_line(model, line, borders));
    });
  });
  std::vector<LineScore> all;
  for (const std::vector<LineScore>& part : scored) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace demotic
