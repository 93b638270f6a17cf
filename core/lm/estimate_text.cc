#include "lm/estimate_text.h"

#include "io/error.h"
#include "text/token_lines.h"

namespace demotic::lm {

TrainingText::TrainingText(std::string folder, uint64_t memory, bool skip_special)
    : folder_(std::move(folder)),
      capacity_(std::max<uint64_t>(1, memory / sizeof(uint32_t))),
      skip_special_(skip_special) {
  vocab_.add("<s>");
  vocab_.add("</s>");
  frequencies_.resize(vocab_.size(), 0);
}

void TrainingText::push(uint32_t id) {
  if (ids_.size() == capacity_) {
    if (!spilled_) spilled_.emplace(folder_);
    spilled_->append(ids_.data(), ids_.size() * sizeof(uint32_t));
    ids_.clear();
  }
  ids_.push_back(id);
  if (id >= frequencies_.size()) frequencies_.resize(id + 1, 0);
  ++frequencies_[id];
}

void TrainingText::add(std::string_view lines) {
  text::for_each_line(lines, [&](std::string_view line) {
    ++line_;
    ++lines_;
    for (size_t at = 0; at < line.size();) {
      // Tabs and carriage returns separate words as well: an ARPA file could not hold them.
      const auto separates = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
      if (separates(line[at])) {
        ++at;
        continue;
      }
      size_t end = at;
      while (end < line.size() && !separates(line[end])) ++end;
      const std::string_view word = line.substr(at, end - at);
      at = end;
      const uint32_t id = vocab_.add(word);
      if (id <= kEnd) {
        if (skip_special_) continue;
        throw io::Error(io::Fault::format, "the text holds the special word " + std::string(word),
                        line_,
                        "remove it, or pass over special words with skip_special (--skip-special)");
      }
      push(id);
      ++words_;
    }
    push(kEnd);
  });
}

}  // namespace demotic::lm
