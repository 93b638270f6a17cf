#include "align/symmetrise.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>

#include "io/error.h"
#include "parallel.h"

namespace demotic::align {

namespace {

struct Step {
  int target;
  int source;
};

// The order matters: what is taken first covers words for those after it.
constexpr Step kNeighbours[] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
constexpr size_t kStraight = 4;  // the first four are not diagonal

void push(std::vector<uint64_t>& heap, uint64_t value) {
  heap.push_back(value);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

uint64_t pop(std::vector<uint64_t>& heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  const uint64_t value = heap.back();
  heap.pop_back();
  return value;
}

}  // namespace

void Symmetriser::collect(std::span<const Link> forward, std::span<const Link> backward) {
  union_.clear();
  uint32_t sources = 0;
  uint32_t targets = 0;
  const auto add = [&](std::span<const Link> links, bool is_forward) {
    for (const Link& link : links) {
      union_.push_back({link.target, link.source, is_forward, !is_forward, false});
      sources = std::max(sources, link.source + 1);
      targets = std::max(targets, link.target + 1);
    }
  };
  add(forward, true);
  add(backward, false);
  std::sort(union_.begin(), union_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.target, a.source) < std::tie(b.target, b.source);
  });
  size_t kept = 0;
  for (const Candidate& candidate : union_) {
    if (kept > 0 && union_[kept - 1].target == candidate.target &&
        union_[kept - 1].source == candidate.source) {
      union_[kept - 1].forward |= candidate.forward;
      union_[kept - 1].backward |= candidate.backward;
    } else {
      union_[kept++] = candidate;
    }
  }
  union_.resize(kept);

  row_.assign(targets + size_t{1}, 0);
  for (const Candidate& candidate : union_) ++row_[candidate.target + 1];
  for (size_t target = 0; target < targets; ++target) row_[target + 1] += row_[target];
  source_covered_.assign(sources, 0);
  target_covered_.assign(targets, 0);
}

void Symmetriser::take(Candidate& candidate) {
  candidate.taken = true;
  source_covered_[candidate.source] = 1;
  target_covered_[candidate.target] = 1;
}

Symmetriser::Candidate* Symmetriser::find(uint32_t target, uint32_t source) {
  if (target >= target_covered_.size()) return nullptr;  // also what -1 wraps to
  Candidate* const begin = union_.data() + row_[target];
  Candidate* const end = union_.data() + row_[target + 1];
  Candidate* const at = std::lower_bound(
      begin, end, source, [](const Candidate& c, uint32_t wanted) { return c.source < wanted; });
  return at != end && at->source == source ? at : nullptr;
}

// symal walks over its sorted set again and again while it inserts into it.  A link that was
// visited once need not be visited again, since words only become covered: so each link is visited
// once, in this pass if it was inserted ahead of the walk, in the next if behind.
void Symmetriser::grow(bool diagonal) {
  now_.clear();
  later_.clear();
  for (size_t i = 0; i < union_.size(); ++i)
    if (union_[i].taken) now_.push_back(i);  // ascending, hence a heap already
  const size_t neighbours = diagonal ? std::size(kNeighbours) : kStraight;
  while (!now_.empty()) {
    const uint64_t at = pop(now_);
    for (size_t n = 0; n < neighbours; ++n) {
      Candidate* const near =
          find(union_[at].target + static_cast<uint32_t>(kNeighbours[n].target),
               union_[at].source + static_cast<uint32_t>(kNeighbours[n].source));
      if (near == nullptr || (target_covered_[near->target] && source_covered_[near->source]))
        continue;
      take(*near);
      const auto index = static_cast<uint64_t>(near - union_.data());
      push(index > at ? now_ : later_, index);
    }
    if (now_.empty()) now_.swap(later_);
  }
}

void Symmetriser::finish(bool forward, bool both_uncovered) {
  for (Candidate& candidate : union_) {
    if (candidate.taken || !(forward ? candidate.forward : candidate.backward)) continue;
    const bool source = source_covered_[candidate.source];
    const bool target = target_covered_[candidate.target];
    if (both_uncovered ? !source && !target : !source || !target) take(candidate);
  }
}

void Symmetriser::operator()(std::span<const Link> forward, std::span<const Link> backward,
                             std::vector<Link>& out) {
  collect(forward, backward);
  for (Candidate& candidate : union_)
    if (heuristic_ == Heuristic::union_ || (candidate.forward && candidate.backward))
      take(candidate);
  if (heuristic_ >= Heuristic::grow) grow(heuristic_ != Heuristic::grow);
  if (heuristic_ >= Heuristic::grow_diag_final) {
    const bool both_uncovered = heuristic_ == Heuristic::grow_diag_final_and;
    finish(true, both_uncovered);
    finish(false, both_uncovered);
  }
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  for (const Candidate& candidate : union_)
    if (candidate.taken) out.push_back({candidate.source, candidate.target});
  std::sort(out.begin() + begin, out.end());
}

Links symmetrise(const Links& forward, const Links& backward, Heuristic heuristic,
                 unsigned threads) {
  if (forward.size() != backward.size())
    throw io::Error(io::Fault::argument,
                    "the forward alignment has " + std::to_string(forward.size()) +
                        " lines, the backward one " + std::to_string(backward.size()));
  constexpr size_t kChunk = 1024;
  const size_t chunks = (forward.size() + kChunk - 1) / kChunk;
  std::vector<Links> parts(chunks);
  std::vector<Symmetriser> workers(std::max(threads, 1u), Symmetriser(heuristic));
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    const size_t end = std::min(forward.size(), (chunk + 1) * kChunk);
    for (size_t line = chunk * kChunk; line < end; ++line) {
      workers[worker](forward[line], backward[line], parts[chunk].pairs);
      parts[chunk].ends.push_back(parts[chunk].pairs.size());
    }
  });
  Links out;
  out.ends.reserve(forward.size());
  for (const Links& part : parts) {
    const uint64_t base = out.pairs.size();
    out.pairs.insert(out.pairs.end(), part.pairs.begin(), part.pairs.end());
    for (const uint64_t end : part.ends) out.ends.push_back(base + end);
  }
  return out;
}

}  // namespace demotic::align
