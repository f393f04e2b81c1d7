// References, loads and stores. An index that isn't proven to be in bounds is checked: an out-of-bounds load
// gives zero, an out-of-bounds store is skipped.
#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::c_text {
namespace {

constexpr std::uint64_t most_words_at_once = 64;

std::string both(const std::string& a, const std::string& b) { return a.empty() ? b : a + " && " + b; }

}  // namespace

void Lowering::declare_privates() {
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
        const Variable& variable = program_.variables()[i];
        if (variable.space != AddressSpace::private_) continue;
        begin(VariableId{i}, variable.initial ? text(variable.initial) : "");
    }
}

// Declares or assigns a variable's initial value; empty for zero. Large arrays are zeroed in a loop, since
// compilers turn `{}` into one store per element.
void Lowering::begin(VariableId id, const std::string& initial) {
    const Root& at = root(id);
    const TypeId type = program_.variable(id).type;
    const std::string declared = at.is_declared ? at.name : types_.name(type) + " " + at.name;
    if (!initial.empty() || types_[type].kind != TypeKind::array || types_[type].words <= most_words_at_once)
        return (void)writer_.line(
            fmt::format("{} = {};", declared, initial.empty() ? types_.zero(type) : initial));
    if (!at.is_declared) writer_.line(declared + ";");
    writer_.line(types_.set_zero(type, at.name));
}

bool Lowering::is_in_bounds(NodeId access, NodeId reference) const {
    return request_.options.unchecked || ranges_.in_bounds(access).known == RangeKnown::always ||
           ranges_.in_bounds(reference).known == RangeKnown::always;
}

// Returns the text between the brackets. `length` is the number of elements, as text.
std::string Lowering::index(AccessText& at, NodeId access, NodeId reference, const std::string& length) {
    const NodeId whole = program_.operand(reference, 0), node = program_.operand(reference, 1);
    const Type& of = types_[program_.type(whole)];
    const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
    if (const auto word = constant_word(program_, node); word && count != 0) {
        at.never = at.never || *word >= count;
        return fmt::format("{}u", *word < count ? *word : 0);
    }
    if (is_in_bounds(access, reference)) return text(node);
    const std::string short_index = short_text(node);
    at.guard = both(at.guard, fmt::format("{} < {}", as_unsigned(node, short_index), length));
    return short_index;
}

void Lowering::step_into(AccessText& at, NodeId access, NodeId reference) {
    const Node& step = program_.node(reference);
    const TypeId whole = program_.type(program_.operand(reference, 0));
    const Type& of = types_[whole];
    const std::string before = parenthesised(at.at, Precedence::postfix);
    if (step.op == Op::ref_member) {
        const bool is_pointer = at.at.text.starts_with('*');
        at.at = {fmt::format("{}{}{}", is_pointer ? at.at.text.substr(1) : before, is_pointer ? "->" : ".",
                             types_.member(whole, step.payload))};
        return;
    }
    const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
    const Root& from = root(program_.root_variable(reference));
    const std::string length = count == 0 ? from.length : fmt::format("{}u", count);
    const std::string inside = index(at, access, reference, length);
    if (of.kind == TypeKind::vector) {
        const auto word = constant_word(program_, program_.operand(reference, 1));
        at.at =
            word ? Expression{fmt::format("{}.{}", before, components[*word & 3u])}
                 : operations_.component(whole, at.at, inside, qualifiers(program_.root_variable(reference)));
        return;
    }
    at.at = {types_.element(of, count == 0 ? from.array : before, inside, count == 0)};
}

Lowering::AccessText Lowering::reference_text(NodeId access, NodeId reference) {
    std::vector<NodeId> steps;
    for (NodeId id = reference; program_.node(id).op != Op::ref_variable; id = program_.operand(id, 0))
        steps.push_back(id);
    const Root& from = root(program_.root_variable(reference));
    AccessText at;
    at.at = from.is_pointer ? Expression{"*" + from.name, Precedence::prefix} : Expression{from.name};
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        // A run-time array at a structure's end isn't a C++ member; the index that follows starts from the
        // array's own pointer.
        if (types_[program_.type(*step)].is_runtime_array()) continue;
        step_into(at, access, *step);
    }
    return at;
}

std::string Lowering::qualifiers(VariableId id) const {
    const Variable& variable = program_.variable(id);
    const bool is_value = variable.space == AddressSpace::uniform && !roots_[id.index].is_pointer;
    return (is_value ? "" : spaced(dialect_.qualifier(variable.space))) +
           (variable.is_binding() && !variable.is_written ? "const " : "");
}

// True for a component of a local vector by an index that isn't constant. It is selected by value, so that
// the vector needs no address.
bool Lowering::is_component_of_local(NodeId reference) const {
    const AddressSpace space = program_.variable(program_.root_variable(reference)).space;
    if (space != AddressSpace::function && space != AddressSpace::private_) return false;
    return program_.node(reference).op == Op::ref_index &&
           types_[program_.type(program_.operand(reference, 0))].kind == TypeKind::vector &&
           !constant_word(program_, program_.operand(reference, 1));
}

Expression Lowering::load(NodeId node) {
    const NodeId reference = program_.operand(node, 0);
    if (is_component_of_local(reference)) return load_component(node);
    const AccessText from = reference_text(node, reference);
    const std::string zero = types_.zero(program_.type(node));
    if (from.never) return {zero};
    if (from.guard.empty()) return from.at;
    return {fmt::format("{} ? {} : {}", from.guard, from.at.text, zero), Precedence::choice};
}

void Lowering::declare(NodeId node) {
    const VariableId id{program_.node(node).payload};
    const auto initial = program_.operands(node);
    const std::string start = initial.empty() ? "" : text(initial[0]);
    used_by(node);
    keep_all_that_read(id);
    begin(id, start);
}

void Lowering::store(NodeId node) {
    const NodeId reference = program_.operand(node, 0), stored = program_.operand(node, 1);
    const VariableId variable = program_.root_variable(reference);
    const std::string what = text(stored);
    if (is_component_of_local(reference)) return store_component(node, what);
    const AccessText to = reference_text(node, reference);
    used_by(node);
    keep_all_that_read(variable);
    if (to.never) return;
    const TypeId type = program_.type(stored);
    const bool is_storage = program_.variable(variable).space == AddressSpace::storage;
    std::string line =
        is_storage ? types_.store(type, to.at.text, what) : fmt::format("{} = {};", to.at.text, what);
    if (!to.guard.empty()) {
        writer_.line(fmt::format("if ({}) {}", to.guard, line));
    } else {
        writer_.line(std::move(line)).is_assignment = true;
    }
}

// Component out of bounds: pick() returns zero.
Expression Lowering::load_component(NodeId node) {
    const NodeId reference = program_.operand(node, 0), vector = program_.operand(reference, 0);
    const AccessText from = reference_text(node, vector);
    const std::string zero = types_.zero(program_.type(node));
    if (from.never) return {zero};
    const Expression picked =
        operations_.pick(program_.type(vector), from.at, value(program_.operand(reference, 1)));
    if (from.guard.empty()) return picked;
    return {fmt::format("{} ? {} : {}", from.guard, picked.text, zero), Precedence::choice};
}

void Lowering::store_component(NodeId node, const std::string& what) {
    const NodeId reference = program_.operand(node, 0), vector = program_.operand(reference, 0);
    const AccessText to = reference_text(node, vector);
    const std::string index = text(program_.operand(reference, 1));
    used_by(node);
    keep_all_that_read(program_.root_variable(reference));
    if (to.never) return;
    const std::string line = operations_.set_component(program_.type(vector), to.at.text, index, what);
    writer_.line(to.guard.empty() ? line : fmt::format("if ({}) {}", to.guard, line));
}

}  // namespace muster::c_text
