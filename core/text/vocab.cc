#include "text/vocab.h"

#include "io/error.h"
#include "text/utf8.h"

namespace demotic::text {

VocabView::VocabView(const io::Container& container, const std::string& prefix)
    : bytes_(container.section<char>(prefix + ".bytes")),
      ends_(container.section<uint64_t>(prefix + ".ends")),
      slots_(container.section<uint32_t>(prefix + ".slots")) {
  // Ids must be positive numbers of symbols, too.
  if ((slots_.size() & (slots_.size() - 1)) != 0 || ends_.size() > slots_.size() ||
      ends_.size() > INT32_MAX)
    throw io::Error(io::Fault::corrupt, "damaged vocabulary", 0,
                    "copy the file again or rebuild it");
}

bool VocabView::is_sound() const {
  for (uint32_t id = 0; id < size(); ++id)
    if (!is_utf8(word(id)) || find(word(id)) != id) return false;
  return true;
}

Vocab::Vocab() : slots_(1024, 0) { add(kUnknownWord); }

uint32_t Vocab::add(std::string_view word) {
  const VocabView all = view();
  const size_t at = probe(slots_.size(), hash_word(word), [&](size_t place) {
    return slots_[place] == 0 || all.word(slots_[place] - 1) == word;
  });
  if (slots_[at] != 0) return slots_[at] - 1;
  if (ends_.size() >= UINT32_MAX - 1)
    throw io::Error(io::Fault::argument, "more than 2^32 different words");
  bytes_.insert(bytes_.end(), word.begin(), word.end());
  ends_.push_back(bytes_.size());
  slots_[at] = size();
  if (ends_.size() * 2 > slots_.size()) grow();
  return size() - 1;
}

void Vocab::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const VocabView all(bytes_, ends_, {});
  for (uint32_t id = 0; id < size(); ++id) put_number(slots_, hash_word(all.word(id)), id);
}

void VocabView::save(io::ContainerWriter& out, const std::string& prefix) const {
  out.section<char>(prefix + ".bytes", bytes_);
  out.section<uint64_t>(prefix + ".ends", ends_);
  out.section<uint32_t>(prefix + ".slots", slots_);
}

}  // namespace demotic::text
