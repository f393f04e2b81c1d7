#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/dispatch_work.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/semantics/fold.hpp>

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

/// What one operation on a scalar costs, in additions of f32. Rough: devices differ by more.
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

/// A scalar or a vector of scalars of 32 bits, or, without components, anything that isn't known.
struct Value {
    std::uint32_t width = 0;
    std::array<std::uint32_t, 4> words{};
    bool is_known() const { return width != 0; }
    bool operator==(const Value&) const = default;
};

Value scalar(std::uint32_t word) { return {1, {word}}; }
Value vector(Extent3 extent) { return {3, {extent.x, extent.y, extent.z}}; }

/// The i-th place of an extent, x first.
Extent3 place_in(Extent3 extent, std::uint64_t i) {
    return {static_cast<std::uint32_t>(i % extent.x), static_cast<std::uint32_t>(i / extent.x % extent.y),
            static_cast<std::uint32_t>(i / extent.x / extent.y)};
}

double fraction(double x) { return x - std::floor(x); }

/// How control goes on after a node.
enum class Flow : std::uint8_t { next, continue_, break_, return_ };

/// What all followed invocations share.
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
          workgroup_(workgroup),
          local_(local),
          values_(program_.node_count()),
          variables_(program_.variables().size()),
          bytes_(program_.bindings().size()) {
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            const Variable& variable = program_.variables()[i];
            if (variable.space == AddressSpace::private_)
                variables_[i] = variable.initial ? value(variable.initial) : zero(variable.type);
        }
    }

    void run() { block(program_.body()); }

    double operations() const { return operations_; }
    double arrivals() const { return arrivals_; }
    std::span<const double> bytes() const { return bytes_; }
    std::size_t nodes() const { return followed_nodes_; }
    bool is_guess() const { return is_guess_; }

  private:
    Value zero(TypeId type) const {
        const Type& is = program_.types()[type];
        const bool is_followed =
            (is.kind == TypeKind::scalar || is.kind == TypeKind::vector) && !is_wide(is.scalar);
        return {is_followed ? is.width : 0, {}};
    }

    const KnownBinding& binding(VariableId variable) const {
        return shared_.dispatch.bindings[shared_.binding_of[variable.index]];
    }

    // Values.
    Value value(NodeId node) {
        const Op op = program_.node(node).op;
        if (op == Op::constant) return constant(node);
        if (op == Op::builtin) return builtin(static_cast<Builtin>(program_.node(node).payload));
        return values_[node.index];
    }
    Value constant(NodeId node) const {
        Value all = zero(program_.type(node));
        const auto words = program_.constant_words(node);
        if (all.is_known() && !words.empty()) std::ranges::copy(words.first(all.width), all.words.begin());
        return all;
    }
    Value builtin(Builtin which) const {
        const Extent3 size = program_.workgroup_size();
        if (which == Builtin::global_invocation_id)
            return vector({workgroup_.x * size.x + local_.x, workgroup_.y * size.y + local_.y,
                           workgroup_.z * size.z + local_.z});
        if (which == Builtin::local_invocation_id) return vector(local_);
        if (which == Builtin::local_invocation_index)
            return scalar(local_.x + size.x * (local_.y + size.y * local_.z));
        if (which == Builtin::workgroup_id) return vector(workgroup_);
        if (which == Builtin::num_workgroups) return vector(shared_.dispatch.grid);
        return {};
    }
    Value computed(NodeId node) {
        const Node& is = program_.node(node);
        if (!is_exact(is.op) || !zero(is.type).is_known()) return {};
        std::array<Value, 4> values;
        std::array<ConstantValue, 4> operands;
        const auto from = program_.operands(node);
        if (from.size() > operands.size()) return {};
        for (std::size_t i = 0; i < from.size(); ++i) {
            values[i] = value(from[i]);
            if (!values[i].is_known()) return {};
            operands[i] = {program_.type(from[i]), {values[i].words.data(), values[i].width}};
        }
        const auto words =
            compute(is.op, program_.types(), is.type, std::span(operands).first(from.size()), is.payload);
        if (!words) return {};
        Value made{static_cast<std::uint32_t>(words->size()), {}};
        std::ranges::copy(*words, made.words.begin());
        return made;
    }
    /// A variable that is followed and named whole; none otherwise.
    Value* followed(NodeId reference) {
        const Node& is = program_.node(reference);
        if (is.op != Op::ref_variable) return nullptr;
        const AddressSpace space = program_.variables()[is.payload].space;
        const bool is_own = space == AddressSpace::function || space == AddressSpace::private_;
        return is_own ? &variables_[is.payload] : nullptr;
    }
    Value loaded(NodeId reference) {
        if (const Value* variable = followed(reference)) return *variable;
        const VariableId root = program_.root_variable(reference);
        if (!program_.variable(root).is_binding()) return {};
        const auto known = binding(root).value;
        Value all = zero(program_.type(reference));
        const std::uint32_t bytes = info(program_.types()[program_.type(reference)].scalar).bytes;
        if (known.empty() || !all.is_known() || bytes != sizeof(std::uint32_t)) return {};
        const Place place = resolve(program_, reference, Layout::host);
        std::uint64_t offset = place.offset;
        for (const PlaceStep& step : place.steps) {
            const Value index = value(step.index);
            if (!index.is_known()) return {};
            offset += index.words[0] * step.stride;
        }
        const std::uint64_t size = all.width * sizeof(std::uint32_t);
        if (offset > known.size() || known.size() - offset < size) return {};
        std::memcpy(all.words.data(), known.data() + offset, size);
        return all;
    }

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
        const bool is_register = followed(reference) != nullptr;
        if (variable.is_binding())
            bytes_[shared_.binding_of[root.index]] += weight_ * static_cast<double>(type.size);
        if (is_register || variable.space == AddressSpace::uniform) return;
        operations_ += weight_ * words * (is_scattered(reference) ? cost_of_scattered_word : 1);
    }

    /// True if a place depends on stored data: neighbours then reach places that aren't side by side.
    bool is_scattered(NodeId reference) {
        for (NodeId place = reference; program_.node(place).op != Op::ref_variable;
             place = program_.operand(place, 0))
            if (program_.node(place).op == Op::ref_index && !value(program_.operand(place, 1)).is_known() &&
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
        const Op op = program_.node(node).op;
        if (op == Op::declare) return declare(node);
        if (op == Op::store) return store(node);
        if (op == Op::load) {
            values_[node.index] = loaded(program_.operand(node, 0));
            return count_access(program_.operand(node, 0));
        }
        if (op == Op::array_length) {
            values_[node.index] = length(program_.operand(node, 0));
            return;
        }
        const OpGroup group = info(op).group;
        if (group == OpGroup::sync || group == OpGroup::extension) {
            arrivals_ += weight_;
            return;
        }
        if (group == OpGroup::atomic) count_access(program_.operand(node, 0));
        values_[node.index] = computed(node);
        count(node);
    }

    void declare(NodeId node) {
        const VariableId variable{program_.node(node).payload};
        variables_[variable.index] = program_.operands(node).empty() ? zero(program_.variable(variable).type)
                                                                     : value(program_.operand(node, 0));
    }

    void store(NodeId node) {
        const NodeId place = program_.operand(node, 0);
        if (Value* const variable = followed(place))
            *variable = value(program_.operand(node, 1));
        else
            variables_[program_.root_variable(place).index] = {};  // a part of it
        count_access(place);
    }

    Value length(NodeId array) const {
        const VariableId root = program_.root_variable(array);
        const RuntimeArray of = runtime_array(program_.types(), program_.variable(root).type);
        return scalar(static_cast<std::uint32_t>(of.length(binding(root).bytes)));
    }

    Flow break_if(NodeId node) {
        const Value condition = value(program_.operand(node, 0));
        if (!condition.is_known()) may_leave_ = is_guess_ = true;
        return condition.is_known() && condition.words[0] != 0 ? Flow::break_ : Flow::next;
    }

    /// How control goes on after a switch or a scope.
    static Flow left(Flow inside) { return inside == Flow::break_ ? Flow::next : inside; }

    /// Follows each of `blocks`, none of which is known to be taken, with its share of the weight.
    Flow any_of(std::span<const BlockId> blocks) {
        is_guess_ = true;
        const double weight = weight_;
        const std::vector<Value> before = variables_;
        std::vector<Value> after;
        std::optional<Flow> flow;
        for (const BlockId each : blocks) {
            weight_ = weight / static_cast<double>(blocks.size());
            variables_ = before;
            const Flow leads = block(each);
            if (flow && *flow != leads) may_leave_ = true;
            flow = std::min(flow.value_or(leads), leads);
            if (after.empty()) after = variables_;
            for (std::size_t i = 0; i < after.size(); ++i)
                if (after[i] != variables_[i]) after[i] = {};
        }
        weight_ = weight;
        variables_ = std::move(after);
        return *flow;
    }

    Flow if_(NodeId node) {
        const auto blocks = program_.blocks(node);
        const Value condition = value(program_.operand(node, 0));
        if (condition.is_known()) return block(blocks[condition.words[0] != 0 ? 0 : 1]);
        return any_of(blocks);
    }

    Flow switch_(NodeId node) {
        const Value selector = value(program_.operand(node, 0));
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

    /// True if the loop changes variables that are known, besides the counters of its tests: these may end it sooner.
    bool knows_more(NodeId loop, std::span<const LoopTest> tests) const {
        if (!shared_.assigned) return false;
        const auto found = shared_.assigned->find(loop.index);
        if (found == shared_.assigned->end()) return false;
        return std::ranges::any_of(found->second, [&](VariableId variable) {
            const bool is_counter = std::ranges::any_of(tests, [&](const LoopTest& test) {
                const NodeId load = program_.operand(test.comparison, test.counter);
                return program_.root_variable(program_.operand(load, 0)) == variable;
            });
            return !is_counter && variables_[variable.index].is_known();
        });
    }

    bool is_known(const LoopTest& test) {
        return value(program_.operand(test.comparison, 0)).is_known() &&
               value(program_.operand(test.comparison, 1)).is_known();
    }
    /// Keeps the counters' values in the iteration that has ended.
    void note(std::span<const LoopTest> tests, std::vector<std::uint32_t>& counters) {
        counters.clear();
        for (const LoopTest& test : tests)
            counters.push_back(value(program_.operand(test.comparison, test.counter)).words[0]);
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
            const std::uint32_t bound = value(program_.operand(test.comparison, 1 - test.counter)).words[0];
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

    /// How often a loop runs in which only stored data decides that: until all invocations together have gone through the
    /// largest of the arrays that its first iteration has read.
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

    /// Follows one more iteration, that in the middle, and counts it for `times`. Afterwards nothing is known of the variables
    /// that the loop assigns.
    void repeat(NodeId node, double times, const std::optional<Steps>& steps) {
        const auto forget = [&] {
            if (!shared_.assigned) return;
            if (const auto found = shared_.assigned->find(node.index); found != shared_.assigned->end())
                for (const VariableId variable : found->second) variables_[variable.index] = {};
        };
        if (times <= 0) return forget();
        forget();
        if (steps)
            variables_[steps->counter.index] =
                scalar(steps->next + steps->step * static_cast<std::uint32_t>(steps->remaining / 2));
        const double weight = weight_;
        weight_ *= times;
        iteration(node);
        weight_ = weight;
        forget();
    }

    const Shared& shared_;
    const Program& program_;
    const Extent3 workgroup_, local_;
    std::vector<Value> values_;     // by node
    std::vector<Value> variables_;  // by variable
    std::vector<double> bytes_;     // by binding: accessed
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
        // The fractions of multiples of these two numbers fill the unit square evenly, however many there are.
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
