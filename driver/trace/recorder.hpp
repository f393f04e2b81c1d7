// recorder.hpp - writes down what this process spends its time on: a trace, which Perfetto (ui.perfetto.dev),
// Chrome (chrome://tracing) and `muster trace` show.
//
//     const std::string path = TRY(trace::start("saxpy.json"));     // or MUSTER_TRACE=saxpy.json
//     {
//         const trace::Span span(trace::Stage::compile, program->entry(), device.id());
//         ...
//     }
//     trace::end();                                                 // or the process's end
//
// While nothing is recorded, a span costs a load and a branch. The file is written as memory, so that it is
// whole whenever the process dies, and has what had begun by then. It has at most `most_bytes`; what comes
// later is counted, and the count stands at its end. Times are those of std::chrono::steady_clock, in ns.
// Threads: any. A child of fork() records nothing until it starts a trace of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/trace/stage.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::trace {
MUSTER_API_BEGIN

inline constexpr std::uint64_t usual_most_bytes = std::uint64_t{256} << 20;

/// Begins to record into a file, and returns its path: the given one, or if another process records there,
/// one with this process's number before its ending. An older trace of that name is replaced once the new one
/// stands; any other file is left alone. Errors: conflict (this process records already), io_failed.
Result<std::string> start(const std::string& path, std::uint64_t most_bytes = usual_most_bytes);
/// Ends the recording, if there is one. Returns the number of events for which there was no room.
std::uint64_t end();

extern std::atomic<bool> recording;  // see is_recording()
inline bool is_recording() { return recording.load(std::memory_order_relaxed); }

using Moment = std::uint64_t;  // ns of the steady clock; 0: none
inline Moment now() {
    return static_cast<Moment>(std::chrono::steady_clock::now().time_since_epoch() /
                               std::chrono::nanoseconds(1));
}

/// Records what this thread does while the object lives. The texts outlive it.
class Span {
  public:
    /// `what` it is done with, such as a program's name, and the id of the device it concerns.
    explicit Span(Stage stage, std::string_view what = {}, std::string_view device = {})
        : stage_(stage), what_(what), device_(device) {
        if (is_recording()) [[unlikely]]
            begin();
    }
    ~Span() {
        if (begun_ != 0) [[unlikely]]
            end();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    /// The bytes that are moved or allocated.
    void bytes(std::uint64_t count) { bytes_ = count; }

  private:
    void begin();
    void end() const;

    const Stage stage_;
    const std::string_view what_, device_;
    Moment begun_ = 0;
    std::optional<std::uint64_t> bytes_;
};

/// Records a value that changes over time, such as the bytes that a device's memory holds.
void count(std::string_view what, std::string_view device, std::uint64_t value);
/// Records that something happened, at this moment.
void mark(std::string_view what, std::string_view about);

/// Work on a device's queue, from its submission on.
struct Work {
    std::uint32_t device = 0, what = 0;  // texts that are kept
    Moment submitted = 0;
};
/// Begins to follow work. Precondition: is_recording().
Work follow(std::string_view what, std::string_view device);
/// Records the work on the device's own line. `ended`: when it ended by the device's clock, or else when the
/// host knew. `took` in ns: without it the work is shown from its submission, and marked as the host's view.
void ran(const Work& work, Moment ended, std::optional<std::uint64_t> took);

MUSTER_API_END
}  // namespace muster::trace
