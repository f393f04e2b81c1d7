// stock.hpp - what the threads of a soak share: the devices, each with a session, the jobs with their
// results, and counters that all of them add to.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::soak {

using kernels::Arrays;
using kernels::Words;

/// The kernels of this program, besides the whole ones. Each has its definition as a
/// function below or in tasks.cpp.
struct Programs {
    ValidProgram affine;   // x[i] = x[i] * p.x + p.y + i
    ValidProgram add_one;  // adds 1 to each of 64 atomic words
    ValidProgram meet;     // doubles x, then, past a grid barrier, adds the next element to each
};

/// A buffer of 64 words that add_one counts in, and the number that each must have once
/// all dispatches have ended.
struct Counters {
    Buffer words;
    std::atomic<std::uint64_t> due{0};

    explicit Counters(Buffer zeros) : words(std::move(zeros)) {}
};

/// A device with a session for itself that all threads share.
struct SharedDevice {
    std::string id;
    Session session;
    Counters counters;
    std::atomic<std::uint64_t> dispatches{0};

    SharedDevice(std::string named, const Session& with, Buffer zeros)
        : id(std::move(named)), session(with), counters(std::move(zeros)) {}
};

/// A whole kernel with its data, and the interpreter's results, which its oracle has found right.
struct CheckedJob {
    const kernels::WholeKernel* kernel;
    kernels::Job job;
    Arrays after;
};

class Stock {
  public:
    /// The devices of this machine, of one backend only if `backend` isn't empty. Errors: not_found (no
    /// device), internal (a whole kernel's oracle disagrees with the interpreter), those of the calls.
    static Result<std::unique_ptr<Stock>> make(const std::string& backend);

    /// Waits for the work that threads left behind. Errors: internal (a counter is wrong, a call wasn't
    /// made), those of the calls. Precondition: no thread uses the stock meanwhile.
    Result<void> settle();

    const Programs programs;
    std::deque<SharedDevice> devices;
    std::vector<CheckedJob> jobs;
    Counters travelling;                                     // every device counts in these in turn
    std::atomic<std::uint64_t> calls_due{0}, calls_made{0};  // of Ticket::on_end

  private:
    Stock(Programs all, Buffer zeros) : programs(std::move(all)), travelling(std::move(zeros)) {}
};

/// The policy that allows one device, and any time to compile: the machine is busy.
Policy only(const std::string& device);

}  // namespace muster::soak
