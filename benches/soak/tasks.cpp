#include "tasks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::soak {

Words Worker::words(std::size_t count) {
    Words all(count);
    for (std::uint32_t& one : all) one = word();
    return all;
}

namespace {

using Parameters = std::array<std::uint32_t, 2>;

constexpr std::array<std::size_t, 5> sizes{64, 1000, 4096, 16384, 65536};

std::size_t any_size(Worker& worker) { return sizes[worker.below(sizes.size())]; }
Parameters any_parameters(Worker& worker) { return {worker.word(), worker.word()}; }

/// The function that the kernel `affine` computes.
void affine(Words& x, const Parameters& p) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * p[0] + p[1] + static_cast<std::uint32_t>(i);
}

Result<void> expect(const SharedDevice& device, const Words& expected, const Words& actual) {
    const auto [right, wrong] = std::ranges::mismatch(expected, actual);
    if (right == expected.end() && wrong == actual.end()) return {};
    return fail(ErrorCode::internal,
                fmt::format("Word {} of {} on {} is {:#x}, not {:#x}.", right - expected.begin(),
                            expected.size(), device.id, *wrong, *right));
}

Result<void> expect(const SharedDevice& device, const Words& expected, const Buffer& actual) {
    return expect(device, expected, TRY(actual.read_all<std::uint32_t>()));
}

Result<Ticket> dispatch_affine(SharedDevice& device, Session& session, const Kernel& kernel, const Buffer& x,
                               const Parameters& p) {
    ++device.dispatches;
    return session.dispatch(kernel, {{"p", p}, {"x", x}}, Invocations{x.bytes() / 4});
}

/// A session on the device that nobody shares. It waits for its work when it is closed,
/// however busy the machine.
Result<Session> own_session(const SharedDevice& device) {
    return Session::open({.policy = only(device.id), .close_timeout = std::chrono::minutes(5)});
}

Result<void> run_whole_kernel(Worker& worker) {
    SharedDevice& device = worker.device();
    const CheckedJob& job =
        worker.stock.jobs[worker.below(static_cast<std::uint32_t>(worker.stock.jobs.size()))];
    const Session session = worker.once_in(10) ? TRY(own_session(device)) : device.session;
    auto loaded = TRY(kernels::Loaded::load(session, *job.kernel, job.job));
    TRY(loaded.run());
    device.dispatches += job.job.steps.size();
    for (const auto& [name, words] : TRY(loaded.arrays()))
        TRY(during(fmt::format("checking {} of {}", name, job.kernel->name),
                   expect(device, job.after.at(name), words)));
    return {};
}

Result<void> write_and_read_parts(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.affine));
    Words x = worker.words(any_size(worker));
    Buffer buffer = TRY(device.session.buffer(x));
    for (std::uint32_t turn = worker.below(6); turn < 6; ++turn) {
        const Parameters p = any_parameters(worker);
        TRY(dispatch_affine(device, device.session, kernel, buffer, p));
        affine(x, p);
        const std::size_t begin = worker.below(static_cast<std::uint32_t>(x.size()));
        const std::size_t count = worker.below(static_cast<std::uint32_t>(x.size() - begin));
        const std::span<std::uint32_t> part = std::span(x).subspan(begin, count);
        if (worker.once_in(2)) {
            std::ranges::generate(part, [&] { return worker.word(); });
            TRY(buffer.write_bytes(std::as_bytes(part), begin * 4));
        } else {
            Words read(count);
            TRY(buffer.read_bytes(std::as_writable_bytes(std::span(read)), begin * 4));
            TRY(expect(device, Words(part.begin(), part.end()), read));
        }
    }
    return expect(device, x, buffer);
}

/// Uses one buffer on several devices in turn, in the caller's memory or the driver's.
Result<void> move_between_devices(Worker& worker) {
    Words x = worker.words(any_size(worker));
    Words callers = x;
    const bool is_over = worker.once_in(2);
    Session first = worker.device().session;
    Buffer buffer = is_over ? TRY(first.buffer_over(std::span(callers))) : TRY(first.buffer(x));
    for (int turn = 0; turn < 4; ++turn) {
        SharedDevice& device = worker.device();
        const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.affine));
        const Parameters p = any_parameters(worker);
        TRY(dispatch_affine(device, device.session, kernel, buffer, p));
        affine(x, p);
        if (!is_over || !worker.once_in(2)) continue;
        TRY(buffer.sync());
        TRY(expect(device, x, callers));
        callers[0] = x[0] = worker.word();
    }
    TRY(expect(worker.stock.devices.front(), x, buffer));
    return is_over ? buffer.sync() : Result<void>();
}

/// Compiles a program that hasn't been compiled before, in a session of its own.
Result<void> compile_afresh(Worker& worker) {
    SharedDevice& device = worker.device();
    Session session = TRY(own_session(device));
    const std::uint32_t secret = worker.word();
    const std::string text = fmt::format(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
        "@compute @workgroup_size(64) fn fresh(@builtin(global_invocation_id) id: vec3u) {{ x[id.x] ^= {}u; "
        "}}",
        secret);
    const Kernel kernel = TRY(session.prepare(TRY(validate(TRY(wgsl::parse(text))))));
    Words x = worker.words(any_size(worker));
    const Buffer buffer = TRY(session.buffer(x));
    ++device.dispatches;
    TRY(TRY(session.dispatch(kernel, {{"x", buffer}}, Invocations{x.size()})).wait());
    for (std::uint32_t& word : x) word ^= secret;
    if (worker.once_in(2)) session.close();
    return expect(device, x, buffer);
}

/// Submits a sequence of a fill, dispatches and a copy several times, with a snapshot between.
Result<void> run_sequences(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.affine));
    const std::size_t count = any_size(worker);
    const std::uint32_t start = worker.word();
    const Parameters p = any_parameters(worker), q = any_parameters(worker);
    const Buffer x = TRY(device.session.zeros<std::uint32_t>(count));
    const Buffer copy = TRY(device.session.zeros<std::uint32_t>(count));
    Sequence sequence = device.session.sequence();
    TRY(sequence.fill({x}, start));
    TRY(sequence.dispatch(kernel, {{"p", p}, {"x", x}}, Invocations{count}));
    TRY(sequence.copy({x}, {copy}));
    TRY(sequence.dispatch(kernel, {{"p", q}, {"x", x}}, Invocations{count}));
    std::optional<Snapshot> snapshot;
    for (std::uint32_t turn = worker.below(8); turn < 8; ++turn) {
        TRY(sequence.submit());
        device.dispatches += sequence.size();
        if (!snapshot) snapshot = TRY(device.session.snapshot({x}));
    }
    Words expected(count, start);
    affine(expected, p);
    TRY(expect(device, expected, copy));
    affine(expected, q);
    TRY(expect(device, expected, x));
    TRY(snapshot->ready.wait());
    return expect(device, expected, snapshot->buffer);
}

/// Drops tickets, and a buffer, while they are in flight.
Result<void> drop_tickets(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.affine));
    Words x = worker.words(any_size(worker));
    const Buffer kept = TRY(device.session.buffer(x));
    const Parameters p = any_parameters(worker);
    for (int i = 0; i < 10; ++i) {
        const Buffer dropped = TRY(device.session.buffer(x));
        TRY(dispatch_affine(device, device.session, kernel, dropped, p));
        TRY(dispatch_affine(device, device.session, kernel, kept, p));
        affine(x, p);
    }
    return expect(device, x, kept);
}

Result<void> call_at_ends(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.affine));
    Words x = worker.words(any_size(worker));
    const Buffer buffer = TRY(device.session.buffer(x));
    for (int i = 0; i < 4; ++i) {
        const Parameters p = any_parameters(worker);
        const Ticket ticket = TRY(dispatch_affine(device, device.session, kernel, buffer, p));
        affine(x, p);
        ++worker.stock.calls_due;
        TRY(ticket.on_end([&stock = worker.stock, buffer](const Result<Timing>& end) {
            if (end) ++stock.calls_made;
        }));
    }
    return expect(device, x, buffer);
}

/// Closes a session with work in flight: its buffers have the results, and it takes no more work.
Result<void> close_in_flight(Worker& worker) {
    SharedDevice& device = worker.device();
    Session session = TRY(own_session(device));
    const Kernel kernel = TRY(session.prepare(worker.stock.programs.affine));
    Words x = worker.words(any_size(worker));
    const Buffer buffer = TRY(session.buffer(x));
    const Parameters p = any_parameters(worker);
    for (std::uint32_t i = worker.below(20); i < 20; ++i) {
        TRY(dispatch_affine(device, session, kernel, buffer, p));
        affine(x, p);
    }
    session.close();
    const auto refused = dispatch_affine(device, session, kernel, buffer, p);
    if (refused || refused.error().code != ErrorCode::refused)
        return fail(ErrorCode::internal, fmt::format("A closed session on {} dispatches.", device.id));
    return expect(device, x, buffer);
}

Result<void> meet_at_grid_barriers(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.meet));
    Words x = worker.words(std::size_t{64} << worker.below(6));
    const Buffer buffer = TRY(device.session.buffer(x));
    const Buffer scratch = TRY(device.session.zeros<std::uint32_t>(x.size()));
    for (int i = 0; i < 3; ++i) {
        TRY(device.session.dispatch(kernel, {{"x", buffer}, {"y", scratch}}, Invocations{x.size()}));
        ++device.dispatches;
        const Words before = x;
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = before[k] * 2 + before[(k + 1) % x.size()] * 2;
    }
    return expect(device, x, buffer);
}

/// Counts in buffers that other threads count in meanwhile, one of them from whichever device.
Result<void> count_together(Worker& worker) {
    SharedDevice& device = worker.device();
    const Kernel kernel = TRY(device.session.prepare(worker.stock.programs.add_one));
    for (Counters* counters : {&device.counters, &worker.stock.travelling}) {
        const std::uint32_t groups = 1 + worker.below(8);
        TRY(device.session.dispatch(kernel, {{"counters", counters->words}}, Workgroups{groups}));
        ++device.dispatches;
        counters->due += groups;
    }
    return {};
}

constexpr std::array all{
    Task{"a whole kernel", 20, run_whole_kernel},
    Task{"writing and reading parts", 20, write_and_read_parts},
    Task{"moving between devices", 15, move_between_devices},
    Task{"compiling afresh", 3, compile_afresh},
    Task{"sequences", 10, run_sequences},
    Task{"dropped tickets", 10, drop_tickets},
    Task{"calls at the end", 10, call_at_ends},
    Task{"closing with work in flight", 3, close_in_flight},
    Task{"grid barriers", 10, meet_at_grid_barriers},
    Task{"counting together", 10, count_together},
};

}  // namespace

const Task& any_task(Worker& worker, std::string_view part) {
    std::uint32_t sum = 0;
    for (const Task& task : all)
        if (task.name.find(part) != task.name.npos) sum += task.weight;
    if (sum == 0) return any_task(worker, "");
    std::uint32_t at = worker.below(sum);
    for (const Task& task : all) {
        if (task.name.find(part) == task.name.npos) continue;
        if (at < task.weight) return task;
        at -= task.weight;
    }
    return all.back();
}

}  // namespace muster::soak
