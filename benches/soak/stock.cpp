#include "stock.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::soak {
namespace {

constexpr std::uint64_t counter_words = 64;

constexpr const char* affine_text = R"(
@group(0) @binding(0) var<uniform> p: vec2u;
@group(0) @binding(1) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn affine(@builtin(global_invocation_id) id: vec3u) {
  x[id.x] = x[id.x] * p.x + p.y + id.x;
}
)";
constexpr const char* add_one_text = R"(
@group(0) @binding(0) var<storage, read_write> counters: array<atomic<u32>, 64>;
@compute @workgroup_size(64) fn add_one(@builtin(global_invocation_id) id: vec3u) {
  atomicAdd(&counters[id.x % 64], 1u);
}
)";
constexpr const char* meet_text = R"(
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn meet(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  y[i] = x[i] * 2;
  gridBarrier();
  x[i] = y[i] + y[(i + 1) % arrayLength(&y)];
}
)";

Result<ValidProgram> valid(const char* text) { return validate(TRY(wgsl::parse(text))); }

Result<CheckedJob> checked(const kernels::WholeKernel& kernel, std::uint32_t seed) {
    CheckedJob made{&kernel, kernel.make({.scale = 1, .seed = seed}), {}};
    made.after = TRY(run_interpreted(kernel, made.job));
    if (const std::string wrong = first_difference(made.job.expected(), made.after); !wrong.empty())
        return fail(ErrorCode::internal, fmt::format("{} on the interpreter: {}.", kernel.name, wrong));
    return made;
}

Result<void> check(const std::string& whose, const Counters& counters) {
    for (const std::uint32_t word : TRY(counters.words.read_all<std::uint32_t>()))
        if (word != static_cast<std::uint32_t>(counters.due))
            return fail(ErrorCode::internal, fmt::format("The counters of {} are at {}, not {}.", whose, word,
                                                         static_cast<std::uint32_t>(counters.due)));
    return {};
}

}  // namespace

Policy only(const std::string& device) {
    return {.backends = {{device}}, .compile_budget = std::chrono::nanoseconds(0)};
}

Result<std::unique_ptr<Stock>> Stock::make(const std::string& backend) {
    Programs programs{TRY(valid(affine_text)), TRY(valid(add_one_text)), TRY(valid(meet_text))};
    Session any = TRY(Session::open());
    std::unique_ptr<Stock> stock(
        new Stock(std::move(programs), TRY(any.zeros<std::uint32_t>(counter_words))));
    for (const Candidate& candidate : candidates(*process_fleet())) {
        if (!backend.empty() && candidate.backend != backend) continue;
        Session session = TRY(Session::open({.policy = only(candidate.id())}));
        Buffer zeros = TRY(session.zeros<std::uint32_t>(counter_words));
        stock->devices.emplace_back(candidate.id(), session, std::move(zeros));
    }
    if (stock->devices.empty())
        return fail(ErrorCode::not_found,
                    fmt::format("There is no device{}.", backend.empty() ? "" : " of " + backend),
                    "see muster backends");
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels())
        for (const std::uint32_t seed : {1u, 2u}) stock->jobs.push_back(TRY(checked(kernel, seed)));
    return stock;
}

Result<void> Stock::settle() {
    for (SharedDevice& device : devices) {
        const Kernel kernel = TRY(device.session.prepare(programs.add_one));
        TRY(TRY(device.session.dispatch(kernel, {{"counters", device.counters.words}}, Workgroups{1}))
                .wait());
        ++device.counters.due;
        ++device.dispatches;
        TRY(check(device.id, device.counters));
    }
    TRY(check("every device", travelling));
    constexpr int most_tenths = 600;
    for (int i = 0; calls_made != calls_due; ++i) {
        if (i == most_tenths)
            return fail(ErrorCode::internal, fmt::format("Of {} calls at the end of dispatches {} were made.",
                                                         calls_due.load(), calls_made.load()));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
}

}  // namespace muster::soak
