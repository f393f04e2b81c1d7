#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/compiler.hpp>

namespace muster::interpreter {

// The place in the variable where a value of this type is accessed.
Where Compiler::where(VariableId id, TypeId type) const {
    const Variable& variable = program_.variable(id);
    switch (variable.space) {
        case AddressSpace::function:
        case AddressSpace::private_: return Where::frame;
        case AddressSpace::workgroup: return Where::workgroup;
        case AddressSpace::uniform:
        case AddressSpace::storage: break;
    }
    const bool is_shared = variable.is_read && variable.is_written;
    const std::uint32_t unit = types_.least_bytes(type);
    if (unit == 1) return is_shared ? Where::shared_byte_storage : Where::byte_storage;
    if (unit == 2) return is_shared ? Where::shared_half_storage : Where::half_storage;
    return is_shared ? Where::shared_storage : Where::storage;
}

// Emits the instructions that compute the address: one for each index, except the last if the access itself
// takes it.
Compiler::Address Compiler::address(NodeId reference, bool in_register) {
    const VariableId variable = program_.root_variable(reference);
    const Layout layout = layout_of(program_.variable(variable));
    const Place place = resolve(program_, reference, layout);
    // Offsets and strides that lead to a place are multiples of its smallest scalar's size.
    const std::uint32_t unit = layout == Layout::host ? types_.least_bytes(place.type) : 1;
    const std::uint32_t binding = bindings_[place.variable.index];
    const auto base = static_cast<std::uint32_t>(variables_[place.variable.index] + place.offset / unit);
    Address address{Form::fixed, {.e = base, .f = binding}};
    for (std::size_t k = 0; k < place.steps.size(); ++k) {
        const PlaceStep& step = place.steps[k];
        const std::uint32_t count =
            step.count == 0 ? frame_lengths + binding : constant_word(static_cast<std::uint32_t>(step.count));
        address.form = k == 0 ? Form::indexed : Form::chained;
        address.fields.b = at(step.index);
        address.fields.c = static_cast<std::uint32_t>(step.stride / unit);
        address.fields.d = count;
        if (k + 1 == place.steps.size() && !in_register) break;
        Instruction i = address.fields;
        i.run = address_handler(address.form, variant_.findings);
        i.a = registers_.take(1, now_);
        emit(i);
        address = {Form::at, {.e = i.a, .f = binding}};
    }
    if (in_register && address.form == Form::fixed) {
        const std::uint32_t to = registers_.take(1, now_);
        emit({.run = immediate_handler(), .a = to, .b = base});
        address = {Form::at, {.e = to, .f = binding}};
    }
    return address;
}

Result<void> Compiler::access(bool is_load, NodeId place, TypeId type, std::uint32_t value) {
    const VariableId variable = program_.root_variable(place);
    const Where where = this->where(variable, type);
    const TypeKind kind = types_[type].kind;
    const bool is_plain = kind == TypeKind::scalar || kind == TypeKind::vector;
    const std::uint32_t width = is_plain && types_[type].words <= 4 ? words(type) : 0;
    Address address = this->address(place, width == 0);
    Instruction i = address.fields;
    i.a = value;
    if (width == 0) i.c = TRY(layouts_.layout(type, !program_.variable(variable).is_binding()));
    i.run = is_load ? load_handler(where, address.form, width, variant_.findings)
                    : store_handler(where, address.form, width, variant_.findings);
    if (is_shared(where)) code_->switches = true;
    if (is_shared(where) && in_storage(where)) code_->communicates = true;
    emit(i);
    const Scalar scalar = types_[type].scalar;
    if (is_load && in_storage(where) && width != 0 && is_narrow(scalar) && widened(scalar) == Scalar::i32)
        emit({.run = conversion_handler(Op::convert, Scalar::i32, scalar, width, false),
              .a = value,
              .b = value});
    return {};
}

// The position in the frame of a place in a function or private variable that needs no index.
std::optional<std::uint32_t> Compiler::fixed_in_frame(NodeId reference) const {
    const VariableId variable = program_.root_variable(reference);
    if (where(variable, program_.type(reference)) != Where::frame) return {};
    const Place place = resolve(program_, reference, Layout::packed);
    if (!place.steps.empty()) return {};
    return variables_[variable.index] + static_cast<std::uint32_t>(place.offset);
}

std::optional<std::uint32_t> Compiler::target_of_next(NodeId id) const {
    if (id != current_ || !next_ || live_.uses[id.index] != 1) return {};
    const Node& next = program_.node(next_);
    if (next.op == Op::declare && next.operand_count == 1 && program_.operand(next_, 0) == id)
        return variables_[next.payload];
    if (next.op == Op::store && program_.operand(next_, 1) == id)
        return fixed_in_frame(program_.operand(next_, 0));
    return {};
}

Result<void> Compiler::load(NodeId id) {
    const NodeId place = program_.operand(id, 0);
    if (const auto fixed = fixed_in_frame(place)) {
        const VariableId variable = program_.root_variable(place);
        if (!live_.is_written_between(variable, now_, live_.last[id.index])) {
            registers_of_[id.index] = *fixed;
            return {};
        }
        copy(result(id), *fixed, words(id));
        return {};
    }
    return access(true, place, program_.type(id), result(id));
}

Result<void> Compiler::store(NodeId place, NodeId value) {
    if (const auto fixed = fixed_in_frame(place)) {
        const Node& node = program_.node(value);
        if (node.op == Op::constant && node.payload == zero_constant && words(value) > 1) {
            zero(*fixed, words(value));
        } else {
            copy(*fixed, at(value), words(value));
        }
        return {};
    }
    return access(false, place, program_.type(value), at(value));
}

Result<void> Compiler::declare(NodeId id) {
    const Node& node = program_.node(id);
    const std::uint32_t to = variables_[node.payload];
    if (node.operand_count == 0) {
        zero(to, words(program_.variable(VariableId{node.payload}).type));
    } else {
        copy(to, at(program_.operand(id, 0)), words(program_.operand(id, 0)));
    }
    return {};
}

void Compiler::zero(std::uint32_t to, std::uint32_t count) {
    if (count == 1) {
        emit({.run = immediate_handler(), .a = to});
    } else {
        emit({.run = zero_handler(), .a = to, .f = count});
    }
}

void Compiler::copy(std::uint32_t to, std::uint32_t from, std::uint32_t count) {
    if (to == from) return;  // already computed in place
    if (count <= 4) {
        emit({.run = gather_handler(count), .a = to, .b = from, .c = from + 1, .d = from + 2, .e = from + 3});
    } else {
        emit({.run = copy_handler(), .a = to, .b = from, .f = count});
    }
}

// The composite value lies in the frame as a variable does.
void Compiler::extract_dynamic(NodeId id) {
    const NodeId whole = program_.operand(id, 0);
    const Type& of = type(whole);
    const std::uint32_t count = words(id);
    Instruction i{.b = at(program_.operand(id, 1)),
                  .c = count,
                  .d = constant_word(of.kind == TypeKind::array ? of.count : of.width),
                  .e = at(whole)};
    const TypeKind kind = type(id).kind;
    if ((kind == TypeKind::scalar || kind == TypeKind::vector) && count <= 4) {
        i.run = load_handler(Where::frame, Form::indexed, count, variant_.findings);
    } else {
        i.run = address_handler(Form::indexed, variant_.findings);
        i.a = registers_.take(1, now_);
        const std::uint32_t address = i.a;
        emit(i);
        i = {.run = load_handler(Where::frame, Form::at, 0, variant_.findings), .e = address};
        i.c = *layouts_.layout(program_.type(id),
                               true);  // a packed layout has one word range, so this can't fail
    }
    i.a = result(id);
    emit(i);
}

void Compiler::atomic(NodeId id) {
    const Node& node = program_.node(id);
    const auto operands = program_.operands(id);
    const VariableId variable = program_.root_variable(operands[0]);
    const Where where = this->where(variable, program_.type(operands[0]));
    Instruction i = address(operands[0], true).fields;
    const bool expects = node.op == Op::atomic_compare_exchange;
    if (operands.size() > 1) i.b = at(operands[expects ? 2 : 1]);
    if (expects) i.c = at(operands[1]);
    i.run = atomic_handler(node.op, type(operands[0]).scalar, where, variant_.findings);
    if (node.op != Op::atomic_store) i.a = result(id);
    code_->switches = true;
    if (where != Where::workgroup) code_->communicates = true;
    emit(i);
}

void Compiler::grid_barrier(bool orders) {
    code_->switches = code_->communicates = code_->meets_grid = true;
    emit({.run = grid_barrier_handler(), .a = orders ? 1u : 0u});
}

// Nothing is written between the barrier and this load. A second meeting keeps invocations from writing
// before all have read; by the operation's definition it orders no accesses.
void Compiler::grid_uniform_load(NodeId id) {
    const NodeId place = program_.operand(id, 0);
    Instruction i = address(place, true).fields;
    i.run = atomic_handler(Op::atomic_load, type(id).scalar, Where::shared_storage, variant_.findings);
    i.a = result(id);
    emit(i);
    grid_barrier(false);
}

void Compiler::array_length(NodeId id) {
    registers_of_[id.index] =
        frame_lengths + bindings_[program_.root_variable(program_.operand(id, 0)).index];
}

}  // namespace muster::interpreter
