#include "lm/batch.h"

#include "parallel.h"
#include "text/token_lines.h"

namespace demotic::lm {

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

// Scores the words of one line.  Words wait a little between the moment when the memory of their
// n-grams is asked for and the moment when it is read.
template <class Each>
class LineScorer {
 public:
  LineScorer(const Model& model, SentenceBorders borders, Each each)
      : model_(model),
        borders_(borders),
        state_(borders.begin ? model.begin_sentence() : model.empty_context()),
        each_(each) {
    if (borders.begin) remember(model.begin_word());
  }

  void word(uint32_t id) {
    if (added_ - scored_ == kAhead) score_next();
    waiting_[added_++ % kAhead] = {id, model_.fetch(history_, length_, id)};
    remember(id);
  }

  void finish() {
    if (borders_.end) word(model_.end_word());
    while (scored_ < added_) score_next();
  }

 private:
  static constexpr size_t kAhead = 8;
  struct Waiting {
    uint32_t id;
    Model::Keys keys;
  };

  void remember(uint32_t id) {
    std::memmove(history_ + 1, history_, sizeof history_ - sizeof *history_);
    history_[0] = id;
    length_ = std::min(length_ + 1, kMaxOrder - 1);
  }

  void score_next() {
    const Waiting& next = waiting_[scored_++ % kAhead];
    each_(next.id, model_.score(state_, next.id, next.keys, state_));
  }

  const Model& model_;
  SentenceBorders borders_;
  State state_;
  Each each_;
  uint32_t history_[kMaxOrder - 1] = {};  // newest first
  unsigned length_ = 0;
  Waiting waiting_[kAhead];
  size_t added_ = 0;
  size_t scored_ = 0;
};

struct AddUp {
  LineScore& total;

  void operator()(uint32_t id, const Score& s) const {
    total.log10 += s.prob;
    ++total.words;
    if (id == text::kUnknown) {
      total.unknown_log10 += s.prob;
      ++total.unknown;
    }
  }
};

}  // namespace

void encode_line(const Model& model, std::string_view line, std::vector<uint32_t>& ids) {
  for_each_id(model, line, [&](uint32_t id) { ids.push_back(id); });
}

LineScore score_words(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders) {
  LineScore total;
  LineScorer scorer(model, borders, AddUp{total});
  for (const uint32_t id : ids) scorer.word(id);
  scorer.finish();
  return total;
}

LineScore score_line(const Model& model, std::string_view line, SentenceBorders borders) {
  LineScore total;
  LineScorer scorer(model, borders, AddUp{total});
  for_each_id(model, line, [&](uint32_t id) { scorer.word(id); });
  scorer.finish();
  return total;
}

void score_each_word(const Model& model, std::span<const uint32_t> ids, SentenceBorders borders,
                     std::vector<Score>& out) {
  LineScorer scorer(model, borders, [&](uint32_t, const Score& s) { out.push_back(s); });
  for (const uint32_t id : ids) scorer.word(id);
  scorer.finish();
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
    text::for_each_line(chunks[chunk], [&](std::string_view line) {
      scored[chunk].push_back(score_line(model, line, borders));
    });
  });
  std::vector<LineScore> all;
  for (const std::vector<LineScore>& part : scored) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace demotic::lm
