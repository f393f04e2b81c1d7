#include <algorithm>

#include <muster/backend-vulkan/lowering/loop_iterations.hpp>
#include <muster/foundation/analysis/ways.hpp>

namespace muster::vulkan {
namespace {

using Iterations = std::optional<std::uint64_t>;
constexpr std::uint64_t most = std::uint64_t{1} << 32;  // at which sums and products saturate

class Count {
  public:
    Count(const Program& program, const Loops& loops, const LargeArrays& large)
        : program_(program), loops_(loops), large_(large) {}

    Iterations of(BlockId block) const {
        std::uint64_t sum = 0;
        for (const NodeId node : program_.block(block)) {
            const Iterations one = of(node);
            if (!one) return {};
            sum = std::min(most, sum + *one);
        }
        return sum;
    }

  private:
    Iterations of(NodeId node) const {
        std::uint64_t inside = large_.iterations(node);
        for (const BlockId block : program_.blocks(node)) {
            const Iterations one = of(block);
            if (!one) return {};
            inside = std::min(most, inside + *one);
        }
        if (program_.node(node).op != Op::loop) return inside;
        const Iterations own = loops_.max_trip_count(node);
        if (!own) return {};
        return *own < most / (1 + inside) ? *own * (1 + inside) : most;
    }

    const Program& program_;
    const Loops& loops_;
    const LargeArrays& large_;
};

bool is_quiet(const Program& program, NodeId node) {
    const Op op = program.node(node).op;
    return op == Op::load || info(op).group == OpGroup::exact;
}

// True for an if_ that does nothing but leave the loop.
bool is_guard(const Program& program, NodeId node) {
    if (program.node(node).op != Op::if_) return false;
    const auto then = program.block(program.blocks(node)[0]);
    return then.size() == 1 && program.node(then[0]).op == Op::break_ &&
           program.block(program.blocks(node)[1]).empty();
}

}  // namespace

std::optional<LoopTest> only_guard(const Program& program, const Loops& loops, NodeId loop) {
    const auto body = program.block(program.blocks(loop)[0]),
               continuing = program.block(program.blocks(loop)[1]);
    const auto guard = std::ranges::find_if_not(body, [&](NodeId one) { return is_quiet(program, one); });
    if (guard == body.end() || !is_guard(program, *guard)) return {};
    const auto leaves_too = [&](NodeId one) {
        const Ways ways = ways_of(program, one);
        return ways.breaks || ways.returns;
    };
    if (std::any_of(guard + 1, body.end(), leaves_too) || std::ranges::any_of(continuing, leaves_too))
        return {};
    const auto tests = loops.tests(loop);
    return !tests.empty() && tests[0].node == *guard ? std::optional(tests[0]) : std::nullopt;
}

std::optional<std::uint64_t> most_iterations(const Program& program, const Loops& loops,
                                             const LargeArrays& large) {
    const Iterations iterations = Count(program, loops, large).of(program.body());
    return iterations ? Iterations(std::min(most, *iterations + large.iterations_at_start())) : iterations;
}

}  // namespace muster::vulkan
