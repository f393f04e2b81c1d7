// last_words.hpp - says on standard error what muster was calling when the process dies of a signal.
//
//     const LastWords words("probing cuda");   // as long as other people's code runs
//
//     muster: error: the process ends by signal 6 (aborted) while probing cuda.
//
// A driver that crashes in this process takes it along; this is what is left to tell. While at least one of these lives,
// the fatal signals that have their default action get a handler, which writes the line and lets the default action
// follow. A signal that anybody handles, or ignores, is left alone, and so are all with MUSTER_LOG=off. Threads: any.
// Internal to driver/.
#pragma once

#include <memory>
#include <string_view>

namespace muster {

class LastWords {
  public:
    /// `doing`: what is said, up to 200 bytes of it.
    explicit LastWords(std::string_view doing);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

  private:
    int place_;
};

/// A stack for this thread's handlers, so that one that overflows its own can still speak. None, where it has one already.
class HandlerStack {
  public:
    HandlerStack();
    ~HandlerStack();
    HandlerStack(const HandlerStack&) = delete;
    HandlerStack& operator=(const HandlerStack&) = delete;

  private:
    std::unique_ptr<char[]> room_;
};

}  // namespace muster
