// given_memory.hpp - memory that a program gave, and gets back by a callback: once, within
// one of its calls to muster.
//
//     std::shared_ptr<GivenMemory> given = give(release, user);        // what uses the memory holds it
//     given->take_back();                                              // after an error: the callback isn't made
//
// The last holder may be a thread of muster's, which mustn't call the program: its callback may want a lock
// of another language. So what is let go of waits in a queue, without an allocation, until a call ends
// (return_memory, answer.hpp). Threads: any.
#pragma once

#include <memory>
#include <utility>

#include <muster/c/muster.h>

namespace muster::c {

class GivenMemory {
  public:
    GivenMemory(muster_release_callback release, void* user) : release_(release), user_(user) {}
    void take_back() { release_ = nullptr; }

  private:
    friend void return_memory() noexcept;
    friend void let_go(GivenMemory* memory) noexcept;
    muster_release_callback release_;
    void* user_;
    GivenMemory* next_ = nullptr;
};

/// Throws std::bad_alloc.
std::shared_ptr<GivenMemory> give(muster_release_callback release, void* user);

/// Takes memory back unless the call succeeds: after an error it stays the caller's.
class UnlessDone {
  public:
    explicit UnlessDone(std::shared_ptr<GivenMemory> given) : given_(std::move(given)) {}
    UnlessDone(const UnlessDone&) = delete;
    UnlessDone& operator=(const UnlessDone&) = delete;
    ~UnlessDone() {
        if (given_) given_->take_back();
    }
    const std::shared_ptr<GivenMemory>& given() const { return given_; }
    void done() { given_.reset(); }

  private:
    std::shared_ptr<GivenMemory> given_;
};

/// While it lives, this thread returns no memory: it runs a callback for a thread of muster's.
class WithinCallback {
  public:
    WithinCallback();
    WithinCallback(const WithinCallback&) = delete;
    WithinCallback& operator=(const WithinCallback&) = delete;
    ~WithinCallback();
};

}  // namespace muster::c
