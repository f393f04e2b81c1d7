#include <algorithm>
#include <span>

#include <muster/conformance/run_case.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {

Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program,
                       const RunOptions& options) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Outputs values = TRY(inputs_of(test, *program));
    const Kernel kernel = TRY(session.prepare(program, options.compile));
    std::vector<Buffer> buffers;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& binding = program->variable(program->bindings()[i]);
        buffers.push_back(TRY(session.buffer_from(std::as_bytes(std::span(values[i].words)))));
        arguments.emplace_back(GroupBinding{binding.group, binding.binding}, buffers.back());
    }
    const Ticket ticket = TRY(session.dispatch(kernel, arguments, test.grid));
    const std::chrono::nanoseconds taken = Clock::now() - start;
    if (const auto ended = ticket.wait(std::max(std::chrono::nanoseconds(0), options.timeout - taken));
        !ended) {
        if (ended.error().code == ErrorCode::timed_out) ticket.abandon();
        return std::unexpected(ended.error());
    }
    for (std::size_t i = 0; i < values.size(); ++i) TRY(buffers[i].read(values[i].words));
    return values;
}

Result<Interpreted> run_interpreted(const Case& test, const ValidProgram& program,
                                    const InterpretOptions& options) {
    Outputs values = TRY(inputs_of(test, *program));
    std::vector<BoundBytes> bound;
    for (Values& value : values) bound.push_back({std::as_writable_bytes(std::span(value.words))});
    const Extent3 grid = TRY(workgroups(test.grid, program->workgroup_size()));
    InterpretReport report = TRY(interpret(program, bound, {.extent = grid, .grid = grid}, options));
    return Interpreted{std::move(values), std::move(report)};
}

Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed) {
    return TRY(run_interpreted(test, program, InterpretOptions{.seed = seed})).outputs;
}

}  // namespace muster::conformance
