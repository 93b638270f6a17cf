// Scratch memory for worker threads, kept from one sentence to the next.
//
//   WorkspacePool<Workspace> pool([&] { return std::make_unique<Workspace>(...); });
//   auto lease = pool.lease();
//   lease->...                                      nobody else has it until the lease ends
//
// When a lease ends, the workspace's `counters` are added to the pool's and set back.  A workspace
// that calls itself large() is dropped instead of kept, and so is one whose lease ends by an
// exception: nobody knows what state it is in.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "counters.h"

namespace demotic::decode {

template <class Workspace>
class WorkspacePool {
  using Counters = decltype(Workspace::counters);

 public:
  class Lease {
   public:
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> space)
        : pool_(pool), space_(std::move(space)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::scoped_lock lock(pool_.guard_);
      add_counters(pool_.counters_, std::exchange(space_->counters, Counters{}));
      if (std::uncaught_exceptions() > exceptions_ || space_->large())
        --pool_.spaces_;
      else
        pool_.idle_.push_back(std::move(space_));
    }
    Workspace& operator*() const { return *space_; }
    Workspace* operator->() const { return space_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> space_;
    int exceptions_ = std::uncaught_exceptions();
  };

  using Make = std::function<std::unique_ptr<Workspace>()>;

  explicit WorkspacePool(Make make) : make_(std::move(make)) {}

  Lease lease() {
    {
      const std::scoped_lock lock(guard_);
      if (!idle_.empty()) {
        std::unique_ptr<Workspace> space = std::move(idle_.back());
        idle_.pop_back();
        return Lease(*this, std::move(space));
      }
    }
    std::unique_ptr<Workspace> space = make_();
    {
      const std::scoped_lock lock(guard_);
      idle_.reserve(spaces_ + 1);  // a lease that ends must not need memory
      ++spaces_;
    }
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
  Make make_;
  mutable std::mutex guard_;  // of what follows
  std::vector<std::unique_ptr<Workspace>> idle_;
  size_t spaces_ = 0;  // idle or leased
  Counters counters_;
};

}  // namespace demotic::decode
