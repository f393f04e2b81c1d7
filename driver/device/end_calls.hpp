// end_calls.hpp - the thread that calls back when tickets end. Internal to driver/.
//
// One thread for the process, so that it may release the last handle of a session or device. It starts with
// the first call to make; a child of fork() has one of its own. Threads: any.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include <muster/driver/device/ticket_state.hpp>

namespace muster {

class EndCalls {
  public:
    static EndCalls& process();
    ~EndCalls();

    /// Calls `call` once the ticket has ended. Errors: out_of_memory, internal (no thread can be started).
    Result<void> add(std::shared_ptr<Ticket::State> ticket, Ticket::EndCall call);

  private:
    struct Waiting {
        std::shared_ptr<Ticket::State> ticket;
        Ticket::EndCall call;
    };
    void run(const std::stop_token& stop);
    std::list<Waiting> take_ended();

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Waiting> waiting_;
    std::jthread thread_;  // destroyed first
};

/// Makes the call. An exception of it is logged.
void call_at_end(const Ticket::EndCall& call, const Result<Timing>& outcome);

}  // namespace muster
