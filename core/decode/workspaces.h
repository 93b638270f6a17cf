// Scratch memory of a decoder's threads, lent to one sentence at a time and kept for the next.
//
//   Workspaces<Space> spaces;               Space has `counters` and `bool large() const`
//   auto lease = spaces.lease([&] { return std::make_unique<Space>(...); });
//   lease->...                              its counters are added to spaces.counters() at the end
//
// Workspaces that a very long sentence made large are not kept.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace demotic {

template <class Space>
class Workspaces {
 public:
  using Counters = decltype(Space::counters);

  class Lease {
   public:
    Lease(Workspaces& owner, std::unique_ptr<Space> space)
        : owner_(owner), space_(std::move(space)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { owner_.take_back(std::move(space_)); }
    Space& operator*() { return *space_; }
    Space* operator->() { return space_.get(); }

   private:
    Workspaces& owner_;
    std::unique_ptr<Space> space_;
  };

  template <class Make>
  Lease lease(Make&& make) {
    std::unique_ptr<Space> space;
    {
      const std::scoped_lock lock(guard_);
      if (!idle_.empty()) {
        space = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (space == nullptr) space = make();
    return Lease(*this, std::move(space));
  }

  Counters counters() const {
    const std::scoped_lock lock(guard_);
    return counters_;
  }
  void reset_counters() {
    const std::scoped_lock lock(guard_);
    counters_ = {};
  }

 private:
  void take_back(std::unique_ptr<Space> space) {
    const std::scoped_lock lock(guard_);
    counters_ += space->counters;
    space->counters = {};
    if (!space->large()) idle_.push_back(std::move(space));
  }

  mutable std::mutex guard_;  // of what follows
  std::vector<std::unique_ptr<Space>> idle_;
  Counters counters_;
};

}  // namespace demotic
