#include "lm/estimate_counted.h"

#include <algorithm>

#include "io/error.h"
#include "lm/estimate_disk.h"

namespace demotic::lm {

namespace {

constexpr size_t kIdBytes = sizeof(uint32_t);

uint32_t id_at(const uint8_t* key, unsigned position) {
  uint32_t id = 0;
  for (size_t at = 0; at < kIdBytes; ++at) id = id << 8 | key[position * kIdBytes + at];
  return id;
}

void put_id(uint32_t id, std::vector<uint8_t>& keys) {
  for (size_t at = kIdBytes; at-- > 0;) keys.push_back(static_cast<uint8_t>(id >> 8 * at));
}

template <size_t Limbs>
NgramCounts count_packed(const TrainingText& text, const NgramPacking& packing,
                         std::span<const uint32_t> renumbered) {
  using Key = PackedNgram<Limbs>;
  std::vector<Key> keys, scratch;
  keys.reserve(text.size());
  const unsigned order = packing.order();
  for_each_ngram(text, order, [&](std::span<const uint32_t> ngram) {
    Key key{};
    for (unsigned i = 0; i < order; ++i) packing.set(key, i, renumbered[ngram[order - 1 - i]]);
    keys.push_back(key);
  });
  radix_sort(keys, scratch, packing, order, 1);
  NgramCounts out;
  for (size_t i = 0, j; i < keys.size(); i = j) {
    for (j = i + 1; j < keys.size() && keys[j] == keys[i];) ++j;
    for (unsigned at = 0; at < order; ++at) put_id(packing.word(keys[i], at), out.keys);
    out.counts.push_back(static_cast<int64_t>(j - i));
  }
  return out;
}

// Calls work.operator()<Limbs>() with as many as the packing needs.
template <class Work>
auto with_limbs(const NgramPacking& packing, Work&& work) {
  switch (packing.limbs()) {
    case 1:
      return work.template operator()<1>();
    case 2:
      return work.template operator()<2>();
    case 3:
      return work.template operator()<3>();
    default:
      return work.template operator()<4>();
  }
}

void check_order(unsigned order) {
  if (order < 1 || order > kEstimateOrder)
    throw io::Error(io::Fault::argument, "order must be 1 to 8");
}

}  // namespace

NgramCounts count_ngrams(const TrainingText& text, unsigned order,
                         std::span<const uint32_t> renumbered, uint32_t words) {
  check_order(order);
  if (renumbered.size() != text.vocab().size() ||
      std::ranges::any_of(renumbered, [&](uint32_t id) { return id >= words; }))
    throw io::Error(io::Fault::argument, "numbers that are not those of the text's words");
  const NgramPacking packing(words, order);
  return with_limbs(packing,
                    [&]<size_t Limbs>() { return count_packed<Limbs>(text, packing, renumbered); });
}

struct CountedText::Sorter {
  virtual ~Sorter() = default;
  virtual void add(const uint8_t* key, uint64_t count) = 0;
  virtual std::unique_ptr<EstimatedModel> estimate(CountedText& text, const Tick& tick) = 0;
};

template <size_t Limbs>
struct CountedText::PackedSorter final : Sorter {
  using Counted = CountedNgram<Limbs>;

  explicit PackedSorter(const CountedText& text)
      : packing(text.packing_),
        sorted(std::make_unique<ExternalSorter<Counted>>(text.options_.folder, packing,
                                                         packing.order(), text.options_.memory / 2,
                                                         text.options_.threads)) {}

  void add(const uint8_t* key, uint64_t count) override {
    Counted ngram{{}, count};
    for (unsigned i = 0; i < packing.order(); ++i) packing.set(ngram.key, i, id_at(key, i));
    sorted->add(ngram);
  }

  std::unique_ptr<EstimatedModel> estimate(CountedText& text, const Tick& tick) override {
    const Pruning pruning(text.options_, text.frequencies_);
    sorted->seal();
    return estimate_on_disk<Limbs>(std::move(sorted), std::move(text.vocab_), pruning,
                                   text.options_, packing, tick);
  }

  NgramPacking packing;
  std::unique_ptr<ExternalSorter<Counted>> sorted;
};

CountedText::CountedText(text::Vocab vocab, std::vector<uint64_t> frequencies,
                         EstimateOptions options)
    : options_((check_order(options.order), std::move(options))),
      vocab_(std::move(vocab)),
      frequencies_(std::move(frequencies)),
      packing_(vocab_.size(), options_.order) {
  if (frequencies_.size() != vocab_.size() || vocab_.size() <= kEnd)
    throw io::Error(io::Fault::argument, "as many frequencies as words");
  sorter_ = with_limbs(packing_, [&]<size_t Limbs>() -> std::unique_ptr<Sorter> {
    return std::make_unique<PackedSorter<Limbs>>(*this);
  });
}

CountedText::~CountedText() = default;

void CountedText::add(std::span<const uint8_t> keys, std::span<const int64_t> counts) {
  const size_t size = kIdBytes * packing_.order();
  if (keys.size() != size * counts.size())
    throw io::Error(io::Fault::argument, "as many n-grams as counts");
  for (size_t at = 0; at < counts.size(); ++at) {
    const uint8_t* key = keys.data() + at * size;
    for (unsigned i = 0; i < packing_.order(); ++i)
      if (id_at(key, i) >= vocab_.size() || counts[at] < 1)
        throw io::Error(io::Fault::argument, "an n-gram of other words, or one that was not seen");
    sorter_->add(key, static_cast<uint64_t>(counts[at]));
  }
}

std::unique_ptr<EstimatedModel> CountedText::estimate(const Tick& tick) {
  if (!sorter_) throw io::Error(io::Fault::argument, "the text is used up");
  auto model = sorter_->estimate(*this, tick);
  sorter_.reset();
  return model;
}

}  // namespace demotic::lm
