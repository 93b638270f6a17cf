#include "lm/classes.h"

#include <algorithm>
#include <numeric>

#include "io/error.h"
#include "text/token_lines.h"

namespace demotic::lm {
namespace {

constexpr uint32_t kBorder = 0;
constexpr uint32_t kBlock = 64;     // items whose best classes are found while nothing moves
constexpr double kNoise = 1e-6;     // gains below are rounding
constexpr size_t kTable = 1 << 16;  // values of f at hand

}  // namespace

void BigramCounts::add(std::string_view lines) {
  text::for_each_line(lines, [&](std::string_view line) {
    ++lines_;
    ++line_;
    uint64_t left = kBorder;
    const auto pair = [&](uint64_t right) {
      pending_.push_back({{left << 32 | right}});
      left = right;
    };
    for (size_t at = 0; at < line.size();) {
      const auto separates = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
      size_t end = at;
      while (end < line.size() && !separates(line[end])) ++end;
      if (end > at) {
        const uint32_t id = vocab_.add(line.substr(at, end - at));
        if (id != kBorder)
          pair(id);
        else if (!skip_special_)
          throw io::Error(io::Fault::format, "the text holds the special word <unk>", line_,
                          "remove it");
      }
      at = end + 1;
    }
    if (left != kBorder) pair(kBorder);  // empty lines say nothing about words
  });
  constexpr size_t kMany = 1 << 22;
  if (pending_.size() >= std::max(kMany, bigrams_.size())) compact();
}

const std::vector<BigramCounts::Bigram>& BigramCounts::bigrams() {
  compact();
  return bigrams_;
}

// Sorts what came in since the last time and merges it with what is counted already.
void BigramCounts::compact() {
  const NgramPacking packing(UINT32_MAX, 2);
  radix_sort(pending_, scratch_, packing, 2, 1);
  std::vector<Bigram> merged;
  size_t old = 0;
  for (size_t i = 0, j; i < pending_.size(); i = j) {
    for (j = i + 1; j < pending_.size() && pending_[j] == pending_[i];) ++j;
    while (old < bigrams_.size() && bigrams_[old].key < pending_[i])
      merged.push_back(bigrams_[old++]);
    uint64_t count = j - i;
    if (old < bigrams_.size() && bigrams_[old].key == pending_[i]) count += bigrams_[old++].count;
    merged.push_back({pending_[i], count});
  }
  merged.insert(merged.end(), bigrams_.begin() + static_cast<ptrdiff_t>(old), bigrams_.end());
  bigrams_ = std::move(merged);
  pending_.clear();
}

ClassExchange::ClassExchange(BigramCounts& counts, uint32_t classes, uint64_t min_count,
                             unsigned threads)
    : border_(classes), all_(size_t{classes} + 1), threads_(std::max(1u, threads)), f_(kTable) {
  if (classes == 0) throw io::Error(io::Fault::argument, "at least one class is needed");
  const std::vector<BigramCounts::Bigram>& bigrams = counts.bigrams();
  const uint32_t vocabulary = counts.vocab().size();
  if (bigrams.empty()) throw io::Error(io::Fault::format, "the text has no words");
  for (size_t n = 1; n < f_.size(); ++n)
    f_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));

  std::vector<uint64_t> occurs(vocabulary, 0);
  for (const auto& bigram : bigrams) occurs[bigram.right()] += bigram.count;
  words_.resize(vocabulary - 1);
  std::iota(words_.begin(), words_.end(), 1);
  std::stable_sort(words_.begin(), words_.end(),
                   [&](uint32_t a, uint32_t b) { return occurs[a] > occurs[b]; });
  const auto rare = static_cast<uint32_t>(
      std::partition_point(words_.begin(), words_.end(),
                           [&](uint32_t word) { return occurs[word] >= min_count; }) -
      words_.begin());
  const uint32_t items = std::min(rare + 1, static_cast<uint32_t>(words_.size()));
  std::vector<uint32_t> item_of_word(vocabulary, items);  // the border comes after all items
  for (uint32_t rank = 0; rank < words_.size(); ++rank) {
    item_of_.push_back(std::min(rank, rare));
    item_of_word[words_[rank]] = item_of_.back();
  }

  frequency_.assign(items, 0);
  self_.assign(items, 0);
  next_.resize(items);
  previous_.resize(items);
  for (uint32_t rank = 0; rank < words_.size(); ++rank)
    frequency_[item_of_[rank]] += occurs[words_[rank]];
  for (uint32_t item = 0; item < items; ++item) class_.push_back(item % classes);
  const auto class_of_item = [&](uint32_t item) { return item == items ? border_ : class_[item]; };
  pairs_.assign(all_ * all_, 0);
  totals_.assign(all_, 0);
  for (const auto& bigram : bigrams) {
    const uint32_t left = item_of_word[bigram.left()], right = item_of_word[bigram.right()];
    pairs(class_of_item(left), class_of_item(right)) += bigram.count;
    totals_[class_of_item(right)] += bigram.count;
    if (left == right) {
      if (left < items) self_[left] += bigram.count;
      continue;
    }
    if (left < items) next_[left].push_back({right, bigram.count});
    if (right < items) previous_[right].push_back({left, bigram.count});
  }
  transposed_.resize(pairs_.size());
  for (uint32_t c = 0; c < all_; ++c)
    for (uint32_t d = 0; d < all_; ++d) transposed_[d * all_ + c] = pairs(c, d);
  scratch_.resize(kBlock);
  for (Surroundings& near : scratch_) {
    near.before.assign(all_, 0);
    near.after.assign(all_, 0);
    near.gain.assign(classes, 0);
  }
}

void ClassExchange::gather(uint32_t item, Surroundings& near) const {
  const auto collect = [&](const std::vector<Neighbour>& neighbours, std::vector<uint64_t>& dense,
                           std::vector<uint32_t>& list) {
    for (const Neighbour& neighbour : neighbours) {
      const uint32_t c = neighbour.item == items() ? border_ : class_[neighbour.item];
      if (dense[c] == 0) list.push_back(c);
      dense[c] += neighbour.count;
    }
  };
  collect(previous_[item], near.before, near.before_list);
  collect(next_[item], near.after, near.after_list);
}

void ClassExchange::clear(Surroundings& near) const {
  for (const uint32_t c : near.before_list) near.before[c] = 0;
  for (const uint32_t c : near.after_list) near.after[c] = 0;
  near.before_list.clear();
  near.after_list.clear();
}

double ClassExchange::value_at_home(uint32_t item, const Surroundings& near) const {
  const uint32_t home = class_[item];
  double value = 0;
  for (const uint32_t c : near.after_list)
    if (c != home) value += f(pairs(home, c)) - f(pairs(home, c) - near.after[c]);
  for (const uint32_t c : near.before_list)
    if (c != home) value += f(pairs(c, home)) - f(pairs(c, home) - near.before[c]);
  const uint64_t inside = near.after[home] + near.before[home] + self_[item];
  value += f(pairs(home, home)) - f(pairs(home, home) - inside);
  return value - 2 * (f(totals_[home]) - f(totals_[home] - frequency_[item]));
}

double ClassExchange::value_elsewhere(uint32_t item, const Surroundings& near,
                                      uint32_t target) const {
  const uint32_t home = class_[item];
  double value = 0;
  for (const uint32_t c : near.after_list) {
    if (c == target) continue;
    // Bigrams of the target and the home class include those with the item itself.
    const uint64_t n = pairs(target, c) - (c == home ? near.before[target] : 0);
    value += f(n + near.after[c]) - f(n);
  }
  for (const uint32_t c : near.before_list) {
    if (c == target) continue;
    const uint64_t n = pairs(c, target) - (c == home ? near.after[target] : 0);
    value += f(n + near.before[c]) - f(n);
  }
  const uint64_t inside = near.after[target] + near.before[target] + self_[item];
  value += f(pairs(target, target) + inside) - f(pairs(target, target));
  return value - 2 * (f(totals_[target] + frequency_[item]) - f(totals_[target]));
}

// value_elsewhere() for all targets at once, along rows of memory; the entry of the home class is
// meaningless.
void ClassExchange::values_everywhere(uint32_t item, Surroundings& near) const {
  const uint32_t home = class_[item];
  std::vector<double>& gain = near.gain;
  for (uint32_t k = 0; k < border_; ++k) {
    const uint64_t inside = near.after[k] + near.before[k] + self_[item], n = pairs(k, k);
    gain[k] = f(n + inside) - f(n) - 2 * (f(totals_[k] + frequency_[item]) - f(totals_[k]));
  }
  const auto add_row = [&](const uint64_t* row, uint32_t c, uint64_t more) {
    for (uint32_t k = 0; k < border_; ++k)
      if (k != c) gain[k] += f(row[k] + more) - f(row[k]);
  };
  const auto add_home_row = [&](const uint64_t* row, const std::vector<uint64_t>& own,
                                uint64_t more) {
    for (uint32_t k = 0; k < border_; ++k)
      if (k != home) gain[k] += f(row[k] - own[k] + more) - f(row[k] - own[k]);
  };
  for (const uint32_t c : near.after_list) {
    const uint64_t* row = &transposed_[c * all_];
    if (c == home)
      add_home_row(row, near.before, near.after[c]);
    else
      add_row(row, c, near.after[c]);
  }
  for (const uint32_t c : near.before_list) {
    const uint64_t* row = &pairs_[c * all_];
    if (c == home)
      add_home_row(row, near.after, near.before[c]);
    else
      add_row(row, c, near.before[c]);
  }
}

void ClassExchange::move(uint32_t item, const Surroundings& near, uint32_t target) {
  const uint32_t home = class_[item];
  const auto change = [&](uint32_t left, uint32_t right, uint64_t amount, bool up) {
    uint64_t& n = pairs(left, right);
    n = up ? n + amount : n - amount;
    transposed_[right * all_ + left] = n;
  };
  for (const bool up : {false, true}) {
    const uint32_t c = up ? target : home;
    for (const uint32_t d : near.after_list) change(c, d, near.after[d], up);
    for (const uint32_t d : near.before_list) change(d, c, near.before[d], up);
    change(c, c, self_[item], up);
  }
  totals_[home] -= frequency_[item];
  totals_[target] += frequency_[item];
  class_[item] = target;
}

uint64_t ClassExchange::improve(uint32_t begin, uint32_t end) {
  end = std::min(end, items());
  uint64_t moves = 0;
  std::array<uint32_t, kBlock> best;
  for (uint32_t block = begin; block < end; block += kBlock) {
    const uint32_t size = std::min(kBlock, end - block);
    parallel_for(size, threads_, [&](size_t i, unsigned) {
      const uint32_t item = block + static_cast<uint32_t>(i);
      Surroundings& near = scratch_[i];
      gather(item, near);
      values_everywhere(item, near);
      near.gain[class_[item]] = value_at_home(item, near) + kNoise;
      // The first of equals, and home before others.
      best[i] = class_[item];
      for (uint32_t k = 0; k < border_; ++k)
        if (near.gain[k] > near.gain[best[i]]) best[i] = k;
      clear(near);
    });
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t item = block + i;
      if (best[i] == class_[item]) continue;
      Surroundings& near = scratch_[i];
      gather(item, near);
      // Others of the block may have moved since.
      if (value_elsewhere(item, near, best[i]) > value_at_home(item, near) + kNoise) {
        move(item, near, best[i]);
        ++moves;
      }
      clear(near);
    }
  }
  return moves;
}

double ClassExchange::log_likelihood() const {
  double sum = 0;
  for (const uint64_t n : pairs_) sum += f(n);
  for (const uint64_t n : totals_) sum -= 2 * f(n);
  for (const uint64_t n : frequency_) sum += f(n);
  return sum + f(totals_[border_]);
}

std::vector<uint32_t> ClassExchange::classes() const {
  std::vector<uint32_t> number(all_, UINT32_MAX), out;
  uint32_t next = 0;
  for (const uint32_t item : item_of_) {
    uint32_t& named = number[class_[item]];
    if (named == UINT32_MAX) named = next++;
    out.push_back(named);
  }
  return out;
}

}  // namespace demotic::lm
