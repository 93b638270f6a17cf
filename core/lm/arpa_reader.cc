#include "lm/arpa_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/error.h"

namespace demotic::lm {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Cuts the first word off; empty at the end of the line.
std::string_view next_word(std::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && blank(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && !blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// `lower` is in lower case already.
bool same_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

template <class Number>
bool parse(std::string_view text, Number& out) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, out);
  if constexpr (std::is_same_v<Number, float>)
    if (error == std::errc::result_out_of_range) {  // 1e-50 is as good as 0
      double wide = 0;
      const bool read = std::from_chars(text.data(), last, wide).ec == std::errc{};
      out = static_cast<float>(wide);
      return read && end == last;
    }
  return error == std::errc{} && end == last && !text.empty();
}

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  std::string out = "'";
  out += text.substr(0, kShown);
  return out += text.size() > kShown ? "...'" : "'";
}

std::string header(size_t order) {  // 0 for the end
  std::string out = "\\";
  return order == 0 ? out += "end\\" : out += std::to_string(order) + "-grams:";
}

bool is_unknown(std::string_view word) { return word == text::kUnknownWord || word == "<UNK>"; }

}  // namespace

void ArpaReader::fail(const std::string& message, std::string remedy) const {
  throw io::Error(io::Fault::format, message, line_, std::move(remedy));
}

void ArpaReader::feed(std::string_view chunk) {
  for (size_t at = 0; at < chunk.size();) {
    const size_t end = chunk.find('\n', at);
    if (end == std::string_view::npos) {
      rest_.append(chunk.substr(at));
      return;
    }
    ++line_;
    if (rest_.empty()) {
      line(chunk.substr(at, end - at));
    } else {
      rest_.append(chunk.substr(at, end - at));
      line(rest_);
      rest_.clear();
    }
    at = end + 1;
  }
}

void ArpaReader::finish() {
  if (!rest_.empty()) {
    ++line_;
    line(rest_);
    rest_.clear();
  }
  if (part_ == Part::preamble) fail("no \\data\\ line", "is this an ARPA file?");
  if (part_ == Part::counts) fail("the file ends after its counts", "copy the file again");
  if (part_ == Part::ngrams)
    fail("the file ends among the " + std::to_string(order_) + "-grams, after " +
             std::to_string(seen_) + " of " + std::to_string(counts_[order_ - 1]) +
             (seen_ == counts_[order_ - 1] ? ": \\end\\ is missing" : ""),
         "copy the file again");
}

void ArpaReader::line(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return;
  switch (part_) {
    case Part::preamble:
      if (same_ignoring_case(text, "\\data\\")) part_ = Part::counts;
      if (text == "iARPA")
        fail("an IRSTLM iARPA file", "turn it into ARPA with compile-lm --text yes");
      return;
    case Part::counts:
      if (!section_line(text)) count_line(text);
      return;
    case Part::ngrams:
      if (text.front() != '\\' || !section_line(text)) ngram_line(text);
      return;
    case Part::end:
      fail("text after \\end\\: " + quoted(text));
  }
}

void ArpaReader::count_line(std::string_view text) {
  const std::string_view whole = text;
  std::string_view key = next_word(text);
  const size_t equals = text.find('=');
  uint64_t order = 0, count = 0;
  if (!same_ignoring_case(key, "ngram") || equals == std::string_view::npos ||
      !parse(trimmed(text.substr(0, equals)), order) ||
      !parse(trimmed(text.substr(equals + 1)), count))
    fail("expected a line like 'ngram 1=1000', found " + quoted(whole));
  if (order != counts_.size() + 1)
    fail("expected the count of " + std::to_string(counts_.size() + 1) + "-grams, found " +
         quoted(whole));
  if (order > kMaxOrder)
    fail("order " + std::to_string(order) + "; models up to order " + std::to_string(kMaxOrder) +
         " can be read");
  counts_.push_back(count);
}

// A header like "\3-grams:" or "\end\"; false if the line is neither.
bool ArpaReader::section_line(std::string_view text) {
  if (text.front() != '\\') return false;
  size_t next = 0;
  const bool end = same_ignoring_case(text, "\\end\\");
  if (!end) {
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos || !parse(text.substr(1, dash - 1), next) ||
        !same_ignoring_case(text.substr(dash), "-grams:"))
      return false;
  }
  if (counts_.empty()) fail("no counts before " + quoted(text));
  if (order_ == 0) check_counts();
  if (order_ > 0) close_section();
  // Orders that were announced as empty need no section.
  size_t expected = order_ + 1;
  while (expected <= counts_.size() && expected > 1 && counts_[expected - 1] == 0 &&
         (end || expected < next))
    ++expected;
  if (end ? expected <= counts_.size() : expected != next || next > counts_.size())
    fail("expected " + header(expected > counts_.size() ? 0 : expected) + ", found " +
         quoted(text));
  if (end) {
    sink_.end();
    part_ = Part::end;
    return true;
  }
  part_ = Part::ngrams;
  order_ = next;
  seen_ = 0;
  backoffs_ = false;
  section_line_ = line_;
  return true;
}

// An n-gram takes a digit, n words of a character, what stands between them, and a line end.
void ArpaReader::check_counts() const {
  if (!size_) return;
  uint64_t left = *size_ + 1;  // the last line end may be missing
  for (size_t n = 1; n <= counts_.size(); ++n) {
    const uint64_t bytes = 2 * n + 2;
    if (counts_[n - 1] > left / bytes)
      fail("more n-grams are announced than the file has room for", "copy the file again");
    left -= counts_[n - 1] * bytes;
  }
}

void ArpaReader::close_section() {
  const std::string name = std::to_string(order_) + "-grams";
  if (seen_ != counts_[order_ - 1])
    fail(std::to_string(counts_[order_ - 1]) + " " + name +
             " were announced, but the section has " + std::to_string(seen_),
         "the file is damaged or was cut");
  const bool lower = order_ < counts_.size() && counts_[order_] > 0;
  if (lower && !backoffs_)
    throw io::Error(io::Fault::format,
                    "none of the " + name + " has a back-off, though longer n-grams follow",
                    section_line_, "write the model again with its back-off weights");
  if (order_ == 1) send_unigrams();
}

void ArpaReader::send_unigrams() {
  if (!unknown_listed_) {
    ++counts_[0];
    unigrams_.insert(unigrams_.begin(), {text::kUnknown, kMissingUnknown, 0});
  }
  sink_.begin(counts_, size_ ? Counts::exact : Counts::claimed);
  for (uint32_t id = 0; id < vocab_.size(); ++id) sink_.word(vocab_.word(id));
  for (const Listed& unigram : unigrams_)
    sink_.ngram({&unigram.id, 1}, unigram.prob, unigram.backoff);
  unigrams_ = {};
}

void ArpaReader::ngram_line(std::string_view text) {
  if (seen_ == counts_[order_ - 1])
    fail("more than the " + std::to_string(seen_) + " " + std::to_string(order_) +
             "-grams that were announced",
         "the counts at the top are wrong, or a section header is missing");
  const auto number = [this](std::string_view word, const char* what) {
    float value = 0;
    if (!parse(word, value)) fail(std::string(what) + " " + quoted(word) + " is not a number");
    if (std::isnan(value)) fail(std::string(what) + " is NaN");
    if (value == -HUGE_VALF) value = kLogZero;
    if (std::isinf(value)) fail(std::string(what) + " is infinite");
    return value;
  };
  const float prob = number(next_word(text), "log10 probability");
  if (prob > 0)
    fail("log10 probability above 0, that is, a probability above 1", "estimate the model again");
  uint32_t ids[kMaxOrder];
  for (size_t i = 0; i < order_; ++i) {
    const std::string_view word = next_word(text);
    if (word.empty())
      fail(std::to_string(order_) + "-gram with " + std::to_string(i) +
           (i == 1 ? " word" : " words"));
    if (order_ == 1) {
      if (is_unknown(word) ? unknown_listed_ : vocab_.find(word) != text::kUnknown)
        fail("the word " + quoted(word) + " is listed twice");
      unknown_listed_ |= is_unknown(word);
      ids[0] = is_unknown(word) ? text::kUnknown : vocab_.add(word);
    } else {
      ids[i] = vocab_.find(word);
      if (ids[i] == text::kUnknown && !is_unknown(word))
        fail("the word " + quoted(word) + " is not among the 1-grams");
    }
  }
  float backoff = 0;
  if (const std::string_view word = next_word(text); !word.empty()) {
    backoff = number(word, "back-off");
    backoffs_ = true;
    if (backoff != 0 && order_ == counts_.size())
      fail("a back-off after an n-gram of the highest order");
  }
  if (!next_word(text).empty())
    fail("more than " + std::to_string(order_) + (order_ == 1 ? " word" : " words") +
         " and a back-off after the probability");
  ++seen_;
  if (order_ == 1) {
    unigrams_.push_back({ids[0], prob, backoff});
    return;
  }
  try {
    sink_.ngram({ids, order_}, prob, backoff);
  } catch (io::Error& error) {
    if (error.line == 0) error.line = line_;
    throw;
  }
}

}  // namespace demotic::lm
