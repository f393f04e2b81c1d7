#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <span>

#include <muster/conformance/run_case.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

/// The data of the bindings, in memory as a program gives it that keeps to its side of the contract and no
/// more: aligned to wrapped_alignment, and to twice that never.
class LeastAligned {
  public:
    /// Returns a copy that lives as long as this object.
    std::span<std::byte> add(std::span<const std::byte> bytes) {
        Block& block = blocks_.emplace_back(static_cast<std::byte*>(
            ::operator new (wrapped_alignment + bytes.size(), std::align_val_t{2 * wrapped_alignment})));
        std::byte* const data = block.get() + wrapped_alignment;
        std::ranges::copy(bytes, data);
        return {data, bytes.size()};
    }
    /// Keeps the memory for ever: a kernel that doesn't end may still use it.
    void keep() {
        static std::mutex mutex;
        static auto* const kept = new std::list<std::vector<Block>>;
        const std::lock_guard lock(mutex);
        kept->push_back(std::move(blocks_));
    }

  private:
    struct Delete {
        void operator()(std::byte* block) const {
            ::operator delete (block, std::align_val_t{2 * wrapped_alignment});
        }
    };
    using Block = std::unique_ptr<std::byte, Delete>;
    std::vector<Block> blocks_;
};

/// True if code that trusts WGSL's alignment of a binding could ask more of memory
/// than the contract promises.
bool is_overaligned(const Program& program) {
    return std::ranges::any_of(program.bindings(), [&](VariableId id) {
        return program.types()[program.variable(id).type].align > wrapped_alignment;
    });
}

}  // namespace

Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program,
                       const RunOptions& options) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Outputs values = TRY(inputs_of(test, *program));
    const Kernel kernel = TRY(session.prepare(program, options.compile));
    LeastAligned memory;  // outlives the buffers over it
    const bool wraps = is_overaligned(*program);
    std::vector<Buffer> buffers;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& binding = program->variable(program->bindings()[i]);
        const auto bytes = std::as_bytes(std::span(values[i].words));
        buffers.push_back(wraps && !bytes.empty() ? TRY(session.buffer_over(memory.add(bytes)))
                                                  : TRY(session.buffer_from(bytes)));
        arguments.emplace_back(GroupBinding{binding.group, binding.binding}, buffers.back());
    }
    const Ticket ticket = TRY(session.dispatch(kernel, arguments, test.grid));
    const std::chrono::nanoseconds taken = Clock::now() - start;
    if (const auto ended = ticket.wait(std::max(std::chrono::nanoseconds(0), options.timeout - taken));
        !ended) {
        memory.keep();
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
