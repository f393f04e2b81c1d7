#include <algorithm>
#include <bit>

#include <muster/backend-cpu/compiler/lowering/choose_width.hpp>
#include <muster/backend-cpu/compiler/lowering/shapes.hpp>
#include <muster/backend-cpu/compiler/lowering/strides.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

// Counts loads, stores and atomic operations for one of whose indices, in lanes' shapes, the test is true.
template <class Test>
std::size_t count_accesses(const Program& program, const LaneShapes& lanes, Test test) {
    std::size_t found = 0;
    for (NodeId id{0}; id.index < program.node_count(); ++id.index) {
        const Op op = program.node(id).op;
        if (op != Op::load && op != Op::store && info(op).group != OpGroup::atomic) continue;
        const Place place = resolve(program, program.operand(id, 0));
        const Variable& variable = program.variable(place.variable);
        if (std::ranges::any_of(place.steps, [&](const PlaceStep& step) {
                return test(op, variable, lanes.shapes.of(step.index));
            }))
            ++found;
    }
    return found;
}

// Accesses to bindings and workgroup variables whose addresses differ from lane to lane by unknown amounts.
std::size_t scattered_accesses(const Program& program, std::uint32_t width) {
    return count_accesses(program, LaneShapes(program, width, 1),
                          [](Op, const Variable& variable, Shape index) {
                              return !is_per_invocation(variable) && index.is_varying();
                          });
}

// True if subgroups of one row have less than half as many scattered accesses: one of several rows
// reads from several rows.
bool rows_are_better(const Program& program, std::uint32_t width) {
    const Extent3 size = program.workgroup_size();
    if (size.x >= width || size.x < 4 || !std::has_single_bit(size.x) || size.y * size.z == 1) return false;
    const std::size_t scattered = scattered_accesses(program, width);
    return scattered > 0 && 2 * scattered_accesses(program, size.x) < scattered;
}

// Loads and stores of bindings that are neither to one element nor to neighbouring ones.
std::size_t broken_accesses(const Program& program, std::uint32_t width) {
    const LaneShapes lanes(program, width, packed_workgroups(program, width));
    return count_accesses(program, lanes, [&](Op op, const Variable& variable, Shape index) {
        return (op == Op::load || op == Op::store) && variable.is_binding() && !index.is_uniform() &&
               index.offsets != lanes.offsets.counting();
    });
}

// True if one workgroup at a time fills a register, and fewer than half as many accesses are broken as of
// several together: they read from places that only the workgroup tells.
bool apart_is_better(const Program& program, std::uint32_t apart, std::uint32_t width) {
    constexpr std::uint32_t fewest = 8;
    if (apart < fewest) return false;
    const std::size_t broken = broken_accesses(program, width);
    return broken > 0 && 2 * broken_accesses(program, apart) < broken;
}

// Costs of instructions, in units of an addition of scalars, roughly: measured where it decides.
struct Costs {
    double gathered = 4;   // each lane of a load, by address: on Zen 4, 8 lanes take 40 cycles
    double scattered = 3;  // each lane of a store
    double updated = 3;    // each lane of an atomic operation
    double division = 5, mathematics = 20;
    double branch = 2, masks = 4;  // of scalars; of lanes that part
    double waiting = 2;            // turns of a loop that lanes leave one by one, over those of one lane
    double unknown_turns = 8, most_turns = 64;
    double strided = 4;  // a scalar's access, a cache line away from the last one
};
Costs costs_of(const MachineTraits& machine) {
    Costs costs;
    if (machine.has_masks()) costs.scattered = 1.5;
    return costs;
}

// An invocation's part of a subgroup's cost, and what it costs by itself.
struct Estimate {
    double vector = 0, scalar = 0;
    void add(const Estimate& more, double vector_times, double scalar_times) {
        vector += vector_times * more.vector;
        scalar += scalar_times * more.scalar;
    }
};

class Estimator {
  public:
    Estimator(const Program& program, std::uint32_t width, const MachineTraits& machine)
        : program_(program),
          lanes_(program, width, packed_workgroups(program, width)),
          shapes_(lanes_.shapes),
          loops_(program),
          costs_(costs_of(machine)),
          width_(width),
          registers_(std::max(1.0, 4.0 * width / machine.vector_bytes)) {}

    Estimate kernel() { return block(program_.body()); }

  private:
    Estimate block(BlockId id) {
        Estimate all;
        for (const NodeId node : program_.block(id)) all.add(cost(node), 1, 1);
        return all;
    }

    Estimate cost(NodeId node) {
        const Op op = program_.node(node).op;
        switch (info(op).group) {
            case OpGroup::exact: {
                const bool is_slow = op == Op::div || op == Op::rem || op == Op::sqrt;
                return operation(node, is_slow ? costs_.division : 1);
            }
            case OpGroup::math: return operation(node, costs_.mathematics);
            case OpGroup::packed: return operation(node, 1);
            case OpGroup::memory:
                return op == Op::load || op == Op::store ? access(node, op == Op::load) : Estimate{};
            case OpGroup::atomic: return access(node, false);
            case OpGroup::control: return control(node);
            case OpGroup::free:
            case OpGroup::sync:
            case OpGroup::subgroup:
            case OpGroup::extension: break;
        }
        return {};
    }

    double words(TypeId type) const {
        return static_cast<double>(std::min(program_.types().scalar_words(type), Shapes::max_words));
    }

    Estimate operation(NodeId node, double one) const {
        const double all = one * words(program_.type(node));
        return {all * (shapes_.of(node).is_varying() ? registers_ : 1) / width_, all};
    }

    Estimate access(NodeId node, bool is_load) {
        const Place place = resolve(program_, program_.operand(node, 0));
        const double words = this->words(place.type);
        const bool is_own = is_per_invocation(program_.variable(place.variable));
        if (is_own && place.steps.empty()) return {};
        bool is_uniform = true, is_scattered = false, moves = false;
        for (const PlaceStep& step : place.steps) {
            is_uniform = is_uniform && shapes_.of(step.index).is_uniform();
            is_scattered = is_scattered || shapes_.of(step.index).is_varying();
            moves = moves || (loop_depth_ > 0 && depends_on_variable(step.index));
        }
        if (info(program_.node(node).op).group == OpGroup::atomic)
            return {is_uniform ? words / width_ : costs_.updated, costs_.branch};
        if (is_uniform) return {words * (is_own ? registers_ : 1) / width_, words};
        if (is_scattered) return {words * (is_load ? costs_.gathered : costs_.scattered), words};
        return {words * registers_ / width_, words * (moves ? costs_.strided : 1)};
    }

    bool depends_on_variable(NodeId value, int most_depth = 8) const {
        if (program_.node(value).op == Op::load || most_depth == 0) return true;
        return std::ranges::any_of(program_.operands(value), [&](NodeId operand) {
            return depends_on_variable(operand, most_depth - 1);
        });
    }

    Estimate control(NodeId node) {
        const Op op = program_.node(node).op;
        Estimate all{costs_.branch / width_, costs_.branch};
        const auto blocks = program_.blocks(node);
        if (op == Op::loop) {
            const auto bound = loops_.max_trip_count(node);
            const double turns = bound && static_cast<double>(*bound) <= costs_.most_turns
                                     ? static_cast<double>(*bound)
                                     : costs_.unknown_turns;
            ++loop_depth_;
            for (const BlockId inner : blocks) all.add(block(inner), 1, 1);
            --loop_depth_;
            const bool waits = shapes_.changes_mask(node);
            if (waits) all.vector += costs_.masks / width_;
            return {all.vector * turns * (waits ? costs_.waiting : 1), all.scalar * turns};
        }
        const bool parts =
            !program_.operands(node).empty() && !shapes_.of(program_.operand(node, 0)).is_uniform();
        if (parts) all.vector += costs_.masks / width_;
        for (const BlockId inner : blocks) {
            const double taken = op == Op::scope || blocks.size() == 1 ? 1 : 0.5;
            all.add(block(inner), parts ? 1 : taken, taken);
        }
        return all;
    }

    const Program& program_;
    const LaneShapes lanes_;
    const Shapes& shapes_;
    const Loops loops_;
    const Costs costs_;
    const double width_, registers_;
    int loop_depth_ = 0;
};

bool one_is_better(const Program& program, std::uint32_t width, const MachineTraits& machine) {
    // Alone, an invocation has to win clearly: estimates are rough, and vectors have more
    // memory accesses in flight.
    constexpr double clearly = 0.8;
    const Estimate estimate = Estimator(program, width, machine).kernel();
    return estimate.scalar < clearly * estimate.vector;
}

// Bytes that a turn of a loop reads in a row, if it strides far: processors foresee the rest of such a run.
constexpr std::uint32_t run_bytes = 256;
constexpr std::uint32_t most_lanes = 64;

// Finds loops that read a run of one array per turn, each far from the last one, and do little
// besides that takes vectors.
class RunFinder {
  public:
    RunFinder(const Program& program, std::uint32_t width, const MachineTraits& machine)
        : program_(program),
          lanes_(program, width, packed_workgroups(program, width)),
          shapes_(lanes_.shapes),
          strides_(find_strides(program, shapes_)),
          registers_(machine.vector_registers * machine.vector_bytes / 4) {}

    /// The lanes that read as many bytes as processors foresee, if the values of so many
    /// fit the registers; else 0.
    std::uint32_t lanes() {
        find_indices();
        std::uint32_t least = 0;
        for (NodeId id{0}; id.index < program_.node_count(); ++id.index) {
            if (program_.node(id).op != Op::load) continue;
            const Place place = resolve(program_, program_.operand(id, 0));
            if (!program_.variable(place.variable).is_binding() || place.steps.size() != 1) continue;
            const PlaceStep& step = place.steps[0];
            const Stride stride = stride_of(program_, strides_, step.index);
            if (!stride.step || !is_long(program_, stride, step.stride)) continue;
            if (shapes_.of(step.index).offsets != lanes_.offsets.counting()) continue;
            const auto lanes = std::min(
                most_lanes, std::bit_floor(run_bytes / static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                                                           step.stride, 1, run_bytes))));
            if (lanes * values_in(stride.loop) <= registers_) least = std::max(least, lanes);
        }
        return least;
    }

  private:
    // Values that serve as indices of updates alone, which take each lane by itself.
    void find_indices() {
        only_index_.assign(program_.node_count(), true);
        for (std::uint32_t i = program_.node_count(); i-- > 0;) {
            const Node& n = program_.node({i});
            const OpGroup group = info(n.op).group;
            const bool passes_on = group == OpGroup::exact || n.op == Op::load;
            const bool is_reference =
                n.op == Op::ref_index || n.op == Op::ref_member || n.op == Op::ref_variable;
            for (const NodeId operand : program_.operands({i}))
                if (!(group == OpGroup::atomic && operand == program_.operand({i}, 0)) &&
                    !((passes_on || is_reference) && only_index_[i]))
                    only_index_[operand.index] = false;
        }
    }

    std::size_t values_in(NodeId loop) const {
        std::size_t values = 0;
        for_each_within(program_, loop, [&](NodeId node) {
            const TypeId type = program_.type(node);
            const bool is_mask = type == no_type || program_.types()[type].scalar == Scalar::boolean;
            if (!is_mask && !only_index_[node.index] && shapes_.of(node).is_varying()) ++values;
        });
        return values;
    }

    const Program& program_;
    const LaneShapes lanes_;
    const Shapes& shapes_;
    const std::vector<Stride> strides_;
    const std::size_t registers_;   // of 32 bits
    std::vector<bool> only_index_;  // by node
};

}  // namespace

std::uint32_t packed_workgroups(const Program& program, std::uint32_t width) {
    if (program.needs().subgroups) return 1;
    const OpSet& ops = program.required_ops();
    if (ops.contains(Op::workgroup_barrier) || ops.contains(Op::storage_barrier)) return 1;
    for (const Variable& variable : program.variables())
        if (variable.space == AddressSpace::workgroup) return 1;
    const std::uint64_t invocations = program.workgroup_size().count();
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, width / invocations));
}

std::uint32_t choose_width(const LowerOptions& options, const Program& program) {
    if (program.needs().subgroups) return options.options.subgroup_size;
    std::uint32_t asked = options.width;
    const std::uint32_t apart = std::bit_ceil(static_cast<std::uint32_t>(program.workgroup_size().count()));
    const bool packs = packed_workgroups(program, asked) > 1;
    if (options.may_choose_width && packs && apart_is_better(program, apart, asked)) asked = apart;
    if (options.may_choose_width && one_is_better(program, asked, options.machine)) return 1;
    if (packed_workgroups(program, asked) > 1) return asked;
    if (options.may_choose_width && rows_are_better(program, asked)) return program.workgroup_size().x;
    if (options.may_choose_width) asked = std::max(asked, RunFinder(program, asked, options.machine).lanes());
    return std::min(asked, apart);
}

}  // namespace muster::cpu
