#include <string>

#include <fmt/format.h>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

class Memory {
  public:
    Memory(const Program& program, Faults& faults)
        : program_(program), types_(program.types()), faults_(faults) {}

    void check() {
        for (std::uint32_t index = 0; index < program_.node_count() && !faults_.full(); ++index) {
            const NodeId id{index};
            const Op op = program_.node(id).op;
            if (op == Op::declare) check_declare(id);
            if (op == Op::load) check_load(id);
            if (op == Op::store) check_store(id);
            if (op == Op::array_length) check_array_length(id);
            if (info(op).group == OpGroup::atomic) check_atomic(id);
            if (is_grid_barrier(program_, id)) check_grid_barrier(id);
            if (is_grid_uniform_load(program_, id)) check_grid_uniform_load(id);
        }
    }

  private:
    NodeId place(NodeId id) const { return program_.operand(id, 0); }
    TypeId operand(NodeId id, std::uint32_t which) const {
        return program_.type(program_.operand(id, which));
    }
    std::string type_name(TypeId type) const { return type == no_type ? "nothing" : types_.name(type); }

    // Returns the variable that contains the operation's place; adds a fault and returns null
    // if its operand is a value.
    const Variable* variable(NodeId id) {
        if (is_reference(program_.node(place(id)).op))
            return &program_.variable(program_.root_variable(place(id)));
        faults_.add(id,
                    fmt::format("{} takes a value where it needs a place.", info(program_.node(id).op).name),
                    "give it a reference");
        return nullptr;
    }

    // Checks that the type can be loaded and stored: no atomic, no run-time array.
    bool check_constructible(NodeId id, TypeId type) {
        if (types_.contains_atomic(type))
            faults_.add(id,
                        fmt::format("{} moves a {}, which is or holds an atomic.",
                                    info(program_.node(id).op).name, type_name(type)),
                        "use the atomic operations on it");
        else if (types_.has_runtime_array(type))
            faults_.add(id,
                        fmt::format("{} moves a {}, whose size isn't known.", info(program_.node(id).op).name,
                                    type_name(type)),
                        "move its elements one by one");
        else
            return true;
        return false;
    }

    void check_declare(NodeId id) {
        if (program_.operands(id).empty()) return;
        const Variable& declared = program_.variables()[program_.node(id).payload];
        if (operand(id, 0) != declared.type)
            faults_.add(id,
                        fmt::format("Variable \"{}\" is a {} and starts as a {}.", declared.name,
                                    type_name(declared.type), type_name(operand(id, 0))),
                        "start it as a value of its type");
    }

    void check_load(NodeId id) {
        const Variable* from = variable(id);
        if (from == nullptr || !check_constructible(id, operand(id, 0))) return;
        if (operand(id, 0) != program_.type(id))
            faults_.add(id,
                        fmt::format("A load from a {} yields a {}.", type_name(operand(id, 0)),
                                    type_name(program_.type(id))),
                        "load what is there, then convert it");
        else if (from->is_binding() && from->access == Access::write)
            faults_.add(id, fmt::format("The program loads from \"{}\", which is write-only.", from->name),
                        "declare it read_write");
    }

    bool check_writable(NodeId id, const Variable& variable) {
        if (variable.space != AddressSpace::uniform &&
            (variable.space != AddressSpace::storage || variable.access != Access::read))
            return true;
        faults_.add(id,
                    fmt::format("The program writes to \"{}\", which is {}.", variable.name,
                                variable.space == AddressSpace::uniform ? "in the uniform address space"
                                                                        : "read-only storage"),
                    "declare it var<storage, read_write> (in C++: InOut or Out)");
        return false;
    }

    void check_store(NodeId id) {
        const Variable* to = variable(id);
        if (to == nullptr || !check_constructible(id, operand(id, 0)) || !check_writable(id, *to)) return;
        if (operand(id, 0) != operand(id, 1))
            faults_.add(
                id,
                fmt::format("A {} is stored to a {}.", type_name(operand(id, 1)), type_name(operand(id, 0))),
                "convert the value to the type of the place");
        else if (program_.type(id) != no_type)
            faults_.add(id, "A store yields a value.", "give it no type");
    }

    void check_array_length(NodeId id) {
        if (variable(id) == nullptr) return;
        if (!types_[operand(id, 0)].is_runtime_array() || program_.type(id) != u32_type)
            faults_.add(id,
                        fmt::format("array_length takes a {} and yields a {}.", type_name(operand(id, 0)),
                                    type_name(program_.type(id))),
                        "it takes an array sized at run time and yields a u32");
    }

    void check_atomic(NodeId id) {
        const Op op = program_.node(id).op;
        const Variable* where = variable(id);
        if (where == nullptr) return;
        const Type& word = types_[operand(id, 0)];
        if (word.kind != TypeKind::atomic)
            return faults_.add(
                id,
                fmt::format("{} acts on a {}, which isn't atomic.", info(op).name, type_name(operand(id, 0))),
                "declare the variable as atomic<u32>, atomic<i32> or atomic<f32>");
        if (!is_integer(word.scalar) && word.scalar != Scalar::f32)
            return faults_.add(id, fmt::format("{} acts on a {}.", info(op).name, type_name(operand(id, 0))),
                               "use an atomic of i32, u32, i64, u64 or f32");
        if (word.scalar == Scalar::f32 && !is_atomic_of_f32(op))
            return faults_.add(id, fmt::format("{} acts on an atomic<f32>.", info(op).name),
                               "use it on atomic<u32>, with a bitcast of the value");
        if (where->space != AddressSpace::storage && where->space != AddressSpace::workgroup)
            return faults_.add(id,
                               fmt::format("{} acts on \"{}\" in address space {}.", info(op).name,
                                           where->name, name(where->space)),
                               "move the variable to storage or workgroup memory");
        if (!check_writable(id, *where)) return;
        const TypeId scalar = type_of(word.scalar);
        for (std::uint32_t i = 1; i < program_.node(id).operand_count; ++i)
            if (operand(id, i) != scalar)
                return faults_.add(id,
                                   fmt::format("{} on a {} takes a {}.", info(op).name,
                                               type_name(operand(id, 0)), type_name(operand(id, i))),
                                   fmt::format("convert the value to {}", type_name(scalar)));
        if (program_.type(id) != (op == Op::atomic_store ? no_type : scalar))
            faults_.add(id,
                        fmt::format("{} on a {} yields a {}.", info(op).name, type_name(operand(id, 0)),
                                    type_name(program_.type(id))),
                        "it yields the old value; atomic_store yields nothing");
    }

    void check_grid_barrier(NodeId id) {
        if (!program_.operands(id).empty() || program_.type(id) != no_type)
            faults_.add(id, "A grid barrier has operands or yields a value.",
                        "make it with IrBuilder::grid_barrier");
    }

    void check_grid_uniform_load(NodeId id) {
        if (program_.operands(id).size() != 1)
            return faults_.add(
                id,
                fmt::format("gridUniformLoad has {} operands; it takes one.", program_.operands(id).size()),
                "make it with IrBuilder::grid_uniform_load");
        if (!is_reference(program_.node(place(id)).op))
            return faults_.add(id, "gridUniformLoad takes a value where it needs a place.",
                               "give it a reference");
        const Variable& from = program_.variable(program_.root_variable(place(id)));
        const Type& word = types_[operand(id, 0)];
        const bool is_word = (word.kind == TypeKind::scalar || word.kind == TypeKind::atomic) &&
                             (word.scalar == Scalar::i32 || word.scalar == Scalar::u32);
        if (!is_word)
            faults_.add(id, fmt::format("gridUniformLoad reads a {}.", type_name(operand(id, 0))),
                        "it reads i32, u32, atomic<i32> and atomic<u32>");
        else if (program_.type(id) != type_of(word.scalar))
            faults_.add(id,
                        fmt::format("gridUniformLoad of a {} yields a {}.", type_name(operand(id, 0)),
                                    type_name(program_.type(id))),
                        "make it with IrBuilder::grid_uniform_load");
        else if (from.space != AddressSpace::storage)
            faults_.add(
                id,
                fmt::format("gridUniformLoad reads \"{}\" in address space {}.", from.name, name(from.space)),
                "use it on storage alone; load a uniform directly, it is the same for all invocations");
    }

    static bool is_reference(Op op) {
        return op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member;
    }

    const Program& program_;
    const TypeTable& types_;
    Faults& faults_;
};

}  // namespace

void check_memory(const Program& program, Faults& faults) { Memory(program, faults).check(); }

}  // namespace muster::validation
