// Sums of sparse vectors, whose cost follows what is added and not the features that there are.
//
//   SparseSum sum;
//   sum.add(id, value);  sum.add(other);
//   SparseVector v = sum.take();          ids ascending, each once, with the sums beside them; what
//                                         was added is forgotten
//
// What is added is put in a row.  From time to time the row is sorted, a few bits of the ids at a
// time, and what has the same id is added up, in the order in which it came: the sums are those of
// an array with a place for each feature, to the bit, and no memory is visited at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace demotic::features {

struct SparseVector {
  std::vector<uint32_t> ids;
  std::vector<double> values;
};

class SparseSum {
 public:
  void add(uint32_t id, double value) {
    terms_.push_back({id, value});
    if (terms_.size() >= limit_) add_up();
  }
  void add(const SparseSum& other) {
    for (const Term& term : other.terms_) add(term.id, term.value);
  }
  SparseVector take();

 private:
  static constexpr size_t kFew = 8192;
  struct Term {
    uint32_t id;
    double value;
  };
  void sort();
  void add_up();

  std::vector<Term> terms_, other_;
  size_t limit_ = kFew;
};

}  // namespace demotic::features
