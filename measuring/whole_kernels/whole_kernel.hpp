// whole_kernel.hpp - whole kernels of the kinds that people write, each with data, its sequence of
// dispatches, and the result computed independently. Tests, benches and the tool share them.
//
//     for (const WholeKernel& kernel : whole_kernels()) {
//         const Job job = kernel.make({.scale = 1});
//         const Arrays after = *run_interpreted(kernel, job);          // or Loaded, on a device
//         first_difference(job.expected(), after);                     // "" if the result is right
//     }
//
// A kernel is a WGSL file here or among the examples, which the build embeds, and the source of its name: its
// data, and an oracle written from the definition, in double precision or as a textbook's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::kernels {

using Words = std::vector<std::uint32_t>;
using Arrays = std::map<std::string, Words>;

/// One dispatch. A binding is one of the uniforms here, or an array: that of its name,
/// unless `bind` names another.
struct Step {
    std::string entry;  // empty: the only one
    Grid grid;
    std::map<std::string, Words> uniforms = {};
    std::map<std::string, std::string> bind = {};
};

/// The contents of an array afterwards. A float is right within `absolute` + `relative` times its expected
/// magnitude; up to `strays` elements may differ.
struct Expected {
    std::string array;
    std::variant<Words, std::vector<double>> values;
    double absolute = 0, relative = 0;
    std::size_t strays = 0;
};

/// The least work of a job: its data read once and written once, and its arithmetic, where a function or a
/// division is one operation. Both 0: it isn't counted.
struct Work {
    double bytes = 0, flops = 0;
};

struct Job {
    Arrays arrays;  // before
    std::vector<wgsl::OverrideValue> overrides;
    std::vector<Step> steps;
    std::function<std::vector<Expected>()> expected;  // slow if the job is large
    Work work = {};
    std::string size = {};  // "1024 x 1024"
};

/// A job's size: 1 takes the interpreter milliseconds; the work grows at least in proportion.
/// Equal sizes make equal jobs.
struct Size {
    std::uint32_t scale = 1, seed = 1;
};

struct WholeKernel {
    std::string_view name;
    std::string_view file;  // in the source folder; its last name is that of the embedded text
    Job (*make)(Size);
};
/// By name.
std::span<const WholeKernel> whole_kernels();
/// Precondition: there is one of this name.
const WholeKernel& whole_kernel(std::string_view name);

/// The programs of a job's entry points, by name. Errors: those of the text.
Result<std::map<std::string, ValidProgram>> programs(const WholeKernel& kernel, const Job& job);

/// The arrays after the interpreter ran the job.
Result<Arrays> run_interpreted(const WholeKernel& kernel, const Job& job);

/// Waits for a dispatch. Errors: those of Ticket::wait; after timed_out the device is
/// quarantined for the session.
Result<void> wait_or_abandon(const Ticket& ticket, std::chrono::nanoseconds timeout);

/// A job in a session: its programs prepared, its arrays in buffers.
class Loaded {
  public:
    static Result<Loaded> load(const Session& session, const WholeKernel& kernel, const Job& job,
                               const CompileOptions& options = {});
    /// Runs all steps so many times, and returns when all have ended. Errors also: timed_out, after which the
    /// device is quarantined for the session.
    Result<void> run(std::uint32_t times = 1, std::chrono::nanoseconds timeout = default_timeout);
    /// Gives the arrays the contents that they had before the first run.
    Result<void> reset();
    Result<Arrays> arrays() const;
    /// The work of each dispatch of a run, in their order.
    Result<std::vector<DispatchWork>> work();
    Buffer& buffer(const std::string& array) { return buffers_.at(array); }

  private:
    struct Dispatch {
        Kernel kernel;
        std::vector<Argument> arguments;
        Grid grid;
    };
    explicit Loaded(const Session& session) : session_(session) {}

    Session session_;
    Arrays before_;
    std::map<std::string, Buffer> buffers_;
    std::vector<Dispatch> dispatches_;
};

/// The first element that isn't as expected, with both values and its bound; "" if there is none.
std::string first_difference(std::span<const Expected> expected, const Arrays& actual);

}  // namespace muster::kernels
