// interruption.hpp - lets a long command end early and still write what it has, when its user or a
// job's limit interrupts it.
//
//     const Interruption interruption;
//     for (const Case& one : cases) if (!Interruption::requested()) run(one);
//
// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the process as usual.
// Threads: one at a time has one.
#pragma once

#include <csignal>

namespace muster::cli {

class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// True once a signal came.
    static bool requested();

  private:
    struct sigaction interrupt_ {
    }, terminate_{};
};

}  // namespace muster::cli
