// What waits for its turn, best first: a heap of small entries with four branches.
//
//   CandidateHeap heap;
//   heap.append({score, number}); ...  heap.arrange(before);     many at once
//   heap.push({score, number}, before);
//   heap.top();  heap.pop(before);  heap.replace_top({score, number}, before);
//
// before(a, b) says which of two numbers with equal scores comes first.  What comes out does not
// depend on the shape of the heap: scores and `before` put all entries in one order.
//
// Scores are kept as integers of the same order, so that the best of four children is found without
// a branch that nobody could predict; equal ones are rare and go another way.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace demotic::decode::hiero {

class Waiting {
 public:
  Waiting(double score, uint32_t candidate)
      : key_(turned(std::bit_cast<int64_t>(score + 0.0))), candidate_(candidate) {}  // -0.0 is 0.0

  double score() const { return std::bit_cast<double>(turned(key_)); }
  int64_t key() const { return key_; }
  uint32_t candidate() const { return candidate_; }

 private:
  // Of a negative number, all bits but the sign; the way back is the same.
  static int64_t turned(int64_t bits) { return bits ^ ((bits >> 63) & INT64_MAX); }

  int64_t key_;
  uint32_t candidate_;
};

class CandidateHeap {
 public:
  bool empty() const { return entries_.empty(); }
  const Waiting& top() const { return entries_.front(); }
  void clear() { entries_.clear(); }

  void append(Waiting entry) { entries_.push_back(entry); }
  template <class Before>
  void arrange(const Before& before) {
    if (entries_.size() < 2) return;
    for (size_t at = (entries_.size() - 2) / kBranches + 1; at-- > 0;)
      sink(at, entries_[at], before);
  }

  template <class Before>
  void push(Waiting entry, const Before& before) {
    entries_.push_back(entry);
    size_t at = entries_.size() - 1;
    while (at > 0) {
      const size_t above = (at - 1) / kBranches;
      if (!better(entry, entries_[above], before)) break;
      entries_[at] = entries_[above];
      at = above;
    }
    entries_[at] = entry;
  }

  template <class Before>
  void replace_top(Waiting entry, const Before& before) {
    sink(0, entry, before);
  }

  template <class Before>
  void pop(const Before& before) {
    const Waiting last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(0, last, before);
  }

  template <class Before>
  static bool better(const Waiting& a, const Waiting& b, const Before& before) {
    if (a.key() == b.key()) [[unlikely]]
      return before(a.candidate(), b.candidate());
    return a.key() > b.key();
  }

 private:
  static constexpr size_t kBranches = 4;

  template <class Before>
  void sink(size_t at, const Waiting entry, const Before& before) {
    Waiting* const heap = entries_.data();
    const size_t size = entries_.size();
    for (size_t first; (first = at * kBranches + 1) < size;) {
      const size_t child = first + kBranches <= size ? first + best_of_four(heap + first, before)
                                                     : best_between(first, size, before);
      if (!better(heap[child], entry, before)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = entry;
  }

  template <class Before>
  static size_t best_of_four(const Waiting* of, const Before& before) {
    const int64_t keys[] = {of[0].key(), of[1].key(), of[2].key(), of[3].key()};
    const size_t left = keys[1] > keys[0] ? 1 : 0;
    const size_t right = keys[3] > keys[2] ? 3 : 2;
    const int64_t left_key = keys[1] > keys[0] ? keys[1] : keys[0];
    const int64_t right_key = keys[3] > keys[2] ? keys[3] : keys[2];
    const bool equal = (keys[0] == keys[1]) | (keys[2] == keys[3]) | (left_key == right_key);
    if (equal) [[unlikely]] {
      size_t best = 0;
      for (size_t i = 1; i < kBranches; ++i)
        if (better(of[i], of[best], before)) best = i;
      return best;
    }
    return left ^ ((left ^ right) & -static_cast<size_t>(right_key > left_key));
  }

  template <class Before>
  size_t best_between(size_t first, size_t last, const Before& before) const {
    size_t best = first;
    for (size_t i = first + 1; i < last; ++i)
      if (better(entries_[i], entries_[best], before)) best = i;
    return best;
  }

  std::vector<Waiting> entries_;
};

}  // namespace demotic::decode::hiero
