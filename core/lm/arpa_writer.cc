#include "lm/arpa_writer.h"

#include <charconv>

#include "io/error.h"

namespace demotic::lm {

namespace {

constexpr size_t kPiece = size_t{1} << 20;

}  // namespace

void ArpaWriter::begin(std::span<const uint64_t> counts, Counts /*trust*/) {
  counts_.assign(counts.begin(), counts.end());
  text_.reserve(kPiece + 4096);
  text_ = "\\data\\\n";
  for (size_t i = 0; i < counts_.size(); ++i)
    text_ += "ngram " + std::to_string(i + 1) + "=" + std::to_string(counts_[i]) + "\n";
}

void ArpaWriter::word(std::string_view word) {
  if (vocab_.add(word) != words_++)
    throw io::Error(io::Fault::format, "the word '" + std::string(word) + "' is listed twice");
}

void ArpaWriter::number(float value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text_.append(digits, end);
}

// Opens the sections up to `order`; those between must have come to nothing.
void ArpaWriter::open_section(size_t order) {
  for (; order_ < order; ++order_) {
    if (left_ != 0)
      throw io::Error(io::Fault::format, std::to_string(left_) + " " + std::to_string(order_) +
                                             "-grams were announced, but did not come");
    text_ += "\n\\";
    text_ += std::to_string(order_ + 1) + "-grams:\n";
    left_ = counts_[order_];
  }
}

void ArpaWriter::ngram(std::span<const uint32_t> words, float prob, float backoff) {
  if (words.empty() || words.size() > counts_.size())
    throw io::Error(io::Fault::format, "an n-gram longer than the model's order");
  open_section(words.size());
  if (words.size() < order_ || left_ == 0)
    throw io::Error(io::Fault::format,
                    "more " + std::to_string(words.size()) + "-grams than were announced");
  --left_;
  number(prob);
  char before = '\t';
  for (const uint32_t id : words) {
    text_ += before;
    text_ += vocab_.word(id);
    before = ' ';
  }
  if (order_ < counts_.size()) {
    text_ += '\t';
    number(backoff + 0.0f);  // never "-0"
  }
  text_ += '\n';
  if (text_.size() >= kPiece) {
    out_(text_);
    text_.clear();
  }
}

void ArpaWriter::end() {
  open_section(counts_.size());
  if (left_ != 0)
    throw io::Error(io::Fault::format,
                    std::to_string(left_) + " n-grams of the highest order are missing");
  text_ += "\n\\end\\\n";
  out_(text_);
  text_.clear();
}

}  // namespace demotic::lm
