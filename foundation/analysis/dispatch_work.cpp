#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/dispatch_work.hpp>
#include <muster/foundation/analysis/known_values.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/uniformity.hpp>

namespace muster {
namespace {

constexpr std::uint32_t most_followed = 32;  // invocations
constexpr std::size_t most_nodes = 65536;    // after which no further one is followed
constexpr std::size_t most_nodes_of_one = 8192;
constexpr std::uint64_t first_iterations = 3;         // of a loop: two steps of its counter
constexpr std::size_t most_assigned = 1u << 16;       // of assigned_variables()
constexpr std::uint32_t most_iterations = 1024;       // of a loop whose counter doesn't step evenly
constexpr std::uint64_t most_known_iterations = 512;  // of one whose other variables are known
constexpr double cost_of_scattered_word = 8;

/// The cost of one operation on a scalar, in additions of f32. Rough: devices differ by more.
double cost(Op op) {
    if (op == Op::div || op == Op::rem || op == Op::sqrt) return 4;
    const bool moves =
        op == Op::compose || op == Op::extract || op == Op::swizzle || op == Op::splat || op == Op::bitcast;
    if (moves) return 0;
    const OpGroup group = info(op).group;
    if (is_exact(op)) return 1;
    if (group == OpGroup::math) return 16;
    if (group == OpGroup::atomic) return 16;
    return group == OpGroup::subgroup ? 4 : 0;
}

/// The i-th place of an extent, x first.
Extent3 place_in(Extent3 extent, std::uint64_t i) {
    return {static_cast<std::uint32_t>(i % extent.x), static_cast<std::uint32_t>(i / extent.x % extent.y),
            static_cast<std::uint32_t>(i / extent.x / extent.y)};
}

double fraction(double x) { return x - std::floor(x); }

/// How control goes on after a node.
enum class Flow : std::uint8_t { next, continue_, break_, return_ };

/// The state that all followed invocations share.
struct Shared {
    const Program& program;
    const KnownDispatch& dispatch;
    Uniformity uniformity;
    Loops loops;
    std::optional<AssignedVariables> assigned;
    std::vector<std::uint32_t> binding_of;  // by variable: its place in Program::bindings()
};

/// Follows one invocation, and counts what it does.
class Invocation {
  public:
    Invocation(const Shared& shared, Extent3 workgroup, Extent3 local)
        : shared_(shared),
          program_(shared.program),
          known_(shared.program, shared.dispatch, shared.binding_of, workgroup, local),
          bytes_(program_.bindings().size()) {}

    void run() { block(program_.body()); }

    double operations() const { return operations_; }
    double arrivals() const { return arrivals_; }
    std::span<const double> bytes() const { return bytes_; }
    std::size_t nodes() const { return followed_nodes_; }
    bool is_guess() const { return is_guess_; }

  private:
    // Counting.
    void count(NodeId node) {
        if (shared_.uniformity.of(node) <= UniformOver::workgroup) return;
        const Type& type =
            program_.types()[program_.operands(node).empty() ? program_.type(node)
                                                             : program_.type(program_.operand(node, 0))];
        const double width = std::max(1u, std::max(type.width, program_.types()[program_.type(node)].width));
        operations_ += weight_ * width * cost(program_.node(node).op);
    }
    void count_access(NodeId reference) {
        const VariableId root = program_.root_variable(reference);
        const Variable& variable = program_.variable(root);
        const Type& type = program_.types()[program_.type(reference)];
        const double words = static_cast<double>(std::max<std::uint64_t>(type.words, 1));
        const bool is_register = known_.is_followed(reference);
        if (variable.is_binding())
            bytes_[shared_.binding_of[root.index]] += weight_ * static_cast<double>(type.size);
        if (is_register || variable.space == AddressSpace::uniform) return;
        operations_ += weight_ * words * (is_scattered(reference) ? cost_of_scattered_word : 1);
    }

    /// True if a place depends on stored data: neighbours then reach places that aren't side by side.
    bool is_scattered(NodeId reference) {
        for (NodeId place = reference; program_.node(place).op != Op::ref_variable;
             place = program_.operand(place, 0))
            if (program_.node(place).op == Op::ref_index &&
                !known_.of(program_.operand(place, 1)).is_known() &&
                shared_.uniformity.of(program_.operand(place, 1)) > UniformOver::workgroup)
                return true;
        return false;
    }

    // Control.
    Flow block(BlockId id) {
        for (const NodeId node : program_.block(id)) {
            if (++followed_nodes_ > most_nodes_of_one) {
                is_guess_ = true;
                return Flow::return_;
            }
            if (const Flow flow = visit(node); flow != Flow::next) return flow;
        }
        return Flow::next;
    }

    Flow visit(NodeId node) {
        const Op op = program_.node(node).op;
        if (op == Op::if_) return if_(node);
        if (op == Op::loop) return loop(node);
        if (op == Op::switch_) return switch_(node);
        if (op == Op::scope) return left(block(program_.blocks(node)[0]));
        if (op == Op::break_) return Flow::break_;
        if (op == Op::continue_) return Flow::continue_;
        if (op == Op::return_) return Flow::return_;
        if (op == Op::break_if) return break_if(node);
        operation(node);
        return Flow::next;
    }

    void operation(NodeId node) {
        known_.evaluate(node);
        const Op op = program_.node(node).op;
        const OpGroup group = info(op).group;
        const bool is_access = op == Op::load || op == Op::store || group == OpGroup::atomic;
        if (is_access) count_access(program_.operand(node, 0));
        if (group == OpGroup::sync || group == OpGroup::extension)
            arrivals_ += weight_;
        else if (group != OpGroup::memory)
            count(node);
    }

    Flow break_if(NodeId node) {
        const KnownValue condition = known_.of(program_.operand(node, 0));
        if (!condition.is_known()) may_leave_ = is_guess_ = true;
        return condition.is_known() && condition.words[0] != 0 ? Flow::break_ : Flow::next;
    }

    /// How control goes on after a switch or a scope.
    static Flow left(Flow inside) { return inside == Flow::break_ ? Flow::next : inside; }

    /// Follows each of `blocks`, none of which is known to be taken, with its share of the weight.
    Flow any_of(std::span<const BlockId> blocks) {
        is_guess_ = true;
        const double weight = weight_;
        const KnownValues::Variables before = known_.variables();
        KnownValues::Variables after;
        std::optional<Flow> flow;
        for (const BlockId each : blocks) {
            weight_ = weight / static_cast<double>(blocks.size());
            known_.variables() = before;
            const Flow leads = block(each);
            if (flow && *flow != leads) may_leave_ = true;
            flow = std::min(flow.value_or(leads), leads);
            if (after.empty()) after = known_.variables();
            for (std::size_t i = 0; i < after.size(); ++i)
                if (after[i] != known_.variables()[i]) after[i] = {};
        }
        weight_ = weight;
        known_.variables() = std::move(after);
        return *flow;
    }

    Flow if_(NodeId node) {
        const auto blocks = program_.blocks(node);
        const KnownValue condition = known_.of(program_.operand(node, 0));
        if (condition.is_known()) return block(blocks[condition.words[0] != 0 ? 0 : 1]);
        return any_of(blocks);
    }

    Flow switch_(NodeId node) {
        const KnownValue selector = known_.of(program_.operand(node, 0));
        std::vector<BlockId> blocks;
        for (const SwitchCase& each : program_.switch_cases(node)) {
            const bool is_chosen =
                selector.is_known() &&
                std::ranges::find(each.selectors, selector.words[0]) != each.selectors.end();
            if (is_chosen) blocks = {each.block};
            if (is_chosen) break;
            if (!selector.is_known() || each.is_default) blocks.push_back(each.block);
        }
        return left(blocks.size() == 1 ? block(blocks[0]) : any_of(blocks));
    }

    // Loops.
    /// A counter that has stepped evenly, and where it ends.
    struct Steps {
        VariableId counter;
        std::uint32_t next = 0, step = 0;
        std::uint64_t remaining = 0;
    };

    Flow iteration(NodeId loop) {
        const auto blocks = program_.blocks(loop);
        const Flow flow = block(blocks[0]);
        if (flow == Flow::break_ || flow == Flow::return_) return flow;
        return block(blocks[1]);
    }

    Flow loop(NodeId node) {
        const bool outer_may_leave = std::exchange(may_leave_, false);
        const Flow flow = iterations(node);
        may_leave_ = outer_may_leave;
        return flow == Flow::return_ ? flow : Flow::next;
    }

    Flow iterations(NodeId node) {
        const std::vector<LoopTest> tests = shared_.loops.tests(node);
        std::array<std::vector<std::uint32_t>, first_iterations> seen;  // by test: its counter
        for (std::uint64_t i = 0; i < most_iterations; ++i) {
            const std::vector<double> bytes_before = bytes_;
            const double weight = weight_;
            if (const Flow flow = iteration(node); flow == Flow::break_ || flow == Flow::return_) return flow;
            const bool is_bounded =
                std::ranges::any_of(tests, [&](const LoopTest& test) { return is_known(test); });
            if (may_leave_ && !is_bounded) {
                repeat(node, through_arrays(bytes_before, weight) - 1, {});
                return Flow::next;
            }
            note(tests, seen[i % first_iterations]);
            if (i + 1 < first_iterations || (i < most_known_iterations && knows_more(node, tests))) continue;
            if (const auto steps = even_steps(tests, seen, i)) {
                repeat(node, static_cast<double>(steps->remaining), steps);
                return Flow::next;
            }
        }
        is_guess_ = true;
        return Flow::next;
    }

    /// The variables that a loop assigns; none if there are too many to say.
    std::span<const VariableId> assigned_in(NodeId loop) const {
        if (!shared_.assigned) return {};
        const auto found = shared_.assigned->find(loop.index);
        return found == shared_.assigned->end() ? std::span<const VariableId>() : found->second;
    }

    /// True if the loop changes variables that are known, besides the counters of its tests:
    /// these may end it sooner.
    bool knows_more(NodeId loop, std::span<const LoopTest> tests) const {
        return std::ranges::any_of(assigned_in(loop), [&](VariableId variable) {
            const bool is_counter = std::ranges::any_of(tests, [&](const LoopTest& test) {
                const NodeId load = program_.operand(test.comparison, test.counter);
                return program_.root_variable(program_.operand(load, 0)) == variable;
            });
            return !is_counter && known_.variables()[variable.index].is_known();
        });
    }

    bool is_known(const LoopTest& test) {
        return known_.of(program_.operand(test.comparison, 0)).is_known() &&
               known_.of(program_.operand(test.comparison, 1)).is_known();
    }
    /// Keeps the counters' values in the iteration that has ended.
    void note(std::span<const LoopTest> tests, std::vector<std::uint32_t>& counters) {
        counters.clear();
        for (const LoopTest& test : tests)
            counters.push_back(known_.of(program_.operand(test.comparison, test.counter)).words[0]);
    }

    /// The steps that remain, if the counter of a test has made the same one in the last iterations.
    std::optional<Steps> even_steps(std::span<const LoopTest> tests,
                                    const std::array<std::vector<std::uint32_t>, first_iterations>& seen,
                                    std::uint64_t last) {
        std::optional<Steps> fewest;
        for (std::size_t i = 0; i < tests.size(); ++i) {
            const LoopTest& test = tests[i];
            if (!is_known(test)) continue;
            const auto at = [&](std::uint64_t back) { return seen[(last - back) % first_iterations][i]; };
            const std::uint32_t step = at(0) - at(1);
            if (step == 0 || step != at(1) - at(2)) continue;
            const NodeId counter = program_.operand(test.comparison, test.counter);
            const std::uint32_t bound =
                known_.of(program_.operand(test.comparison, 1 - test.counter)).words[0];
            const std::uint32_t forward = bound - at(0), by = step;
            // In either direction, as differences that wrap.
            const bool is_up = static_cast<std::int32_t>(step) > 0;
            const std::uint64_t distance = is_up ? forward : std::uint32_t(0) - forward;
            const std::uint64_t each = is_up ? by : std::uint32_t(0) - by;
            const Op op = program_.node(test.comparison).op;
            const bool reaches_bound = op == Op::le || op == Op::ge;
            const std::uint64_t remaining = (distance - (reaches_bound || distance == 0 ? 0 : 1)) / each;
            const VariableId variable = program_.root_variable(program_.operand(counter, 0));
            if (!fewest || remaining < fewest->remaining)
                fewest = Steps{variable, at(0) + step, step, remaining};
        }
        return fewest;
    }

    /// How often a loop runs in which only stored data decides that: until all invocations together have gone
    /// through the largest of the arrays that its first iteration has read.
    double through_arrays(std::span<const double> bytes_before, double weight) const {
        const double invocations =
            static_cast<double>(shared_.dispatch.grid.count() * program_.workgroup_size().count());
        double most = 1;
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            const double each = (bytes_[i] - bytes_before[i]) / weight;
            if (each > 0)
                most = std::max(most,
                                static_cast<double>(shared_.dispatch.bindings[i].bytes) / each / invocations);
        }
        return most;
    }

    /// Follows one more iteration, that in the middle, and counts it for `times`. Afterwards nothing is known
    /// of the variables that the loop assigns.
    void repeat(NodeId node, double times, const std::optional<Steps>& steps) {
        const auto forget = [&] {
            for (const VariableId variable : assigned_in(node)) known_.variables()[variable.index] = {};
        };
        if (times <= 0) return forget();
        forget();
        if (steps)
            known_.variables()[steps->counter.index] = KnownValue::scalar(
                steps->next + steps->step * static_cast<std::uint32_t>(steps->remaining / 2));
        const double weight = weight_;
        weight_ *= times;
        iteration(node);
        weight_ = weight;
        forget();
    }

    const Shared& shared_;
    const Program& program_;
    KnownValues known_;
    std::vector<double> bytes_;  // by binding: accessed
    double operations_ = 0, arrivals_ = 0;
    double weight_ = 1;       // of what is followed now
    bool may_leave_ = false;  // an iteration of the innermost loop may have left it
    bool is_guess_ = false;
    std::size_t followed_nodes_ = 0;
};

}  // namespace

DispatchWork dispatch_work(const Program& program, const KnownDispatch& dispatch) {
    Shared shared{program,
                  dispatch,
                  analyse(program),
                  Loops(program),
                  assigned_variables(program, true, most_assigned),
                  std::vector<std::uint32_t>(program.variables().size())};
    for (std::uint32_t i = 0; i < program.bindings().size(); ++i)
        shared.binding_of[program.bindings()[i].index] = i;
    const std::uint64_t groups = dispatch.grid.count();
    DispatchWork work{.workgroups = static_cast<double>(groups)};
    if (groups == 0) return work;
    std::vector<double> bytes(program.bindings().size());
    const double lanes = static_cast<double>(program.workgroup_size().count());
    const double invocations = static_cast<double>(groups) * lanes;
    std::uint32_t followed = 0;
    std::size_t nodes = 0;
    while (followed < most_followed && followed < invocations && nodes < most_nodes) {
        // The fractions of multiples of these two numbers fill the unit square
        // evenly, however many there are.
        const double lane = fraction(0.5 + followed * 0.7548776662466927);
        const double group = fraction(0.5 + followed * 0.5698402909980532);
        Invocation one(
            shared, place_in(dispatch.grid, static_cast<std::uint64_t>(group * static_cast<double>(groups))),
            place_in(program.workgroup_size(), static_cast<std::uint64_t>(lane * lanes)));
        one.run();
        work.operations += one.operations();
        work.arrivals += one.arrivals();
        work.is_guess |= one.is_guess();
        for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] += one.bytes()[b];
        nodes += one.nodes();
        ++followed;
    }
    const double each = invocations / followed;
    work.operations *= each;
    work.arrivals *= each;
    for (double& of_binding : bytes) of_binding *= each;
    for (std::size_t b = 0; b < bytes.size(); ++b) {
        const Variable& variable = program.variable(program.bindings()[b]);
        const double passes = variable.is_read && variable.is_written ? 2 : 1;
        work.bytes += std::min(bytes[b], passes * static_cast<double>(dispatch.bindings[b].bytes));
    }
    return work;
}

}  // namespace muster
