// compiler.hpp - compiles a ValidProgram to InterpreterCode. Internal.
//
// One walk over the body, in order. Each placed value gets a run of words in the frame until its last use. No
// instruction is emitted for
//   - a part of a value (extract, conversions that keep the bits): it is words of that value;
//   - a load of a function or private variable that isn't written before the value's last use: it is the
//     variable itself;
//   - a value whose only use is the store that follows it: it is computed into the variable;
//   - a comparison whose only use is the branch that follows it: it becomes part of the branch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/layout.hpp>
#include <muster/foundation/interpreter/liveness.hpp>
#include <muster/foundation/interpreter/registers.hpp>

namespace muster::interpreter {

/// A jump target in the code whose position is not known yet.
struct Label {
    std::vector<std::uint32_t> jumps;
};

class Compiler {
  public:
    Compiler(const ValidProgram& program, InterpreterCode::Variant variant);
    Result<std::shared_ptr<const InterpreterCode::Data>> run() &&;

  private:
    // compiler.cpp: the frame and values
    Result<void> check_sizes() const;
    Result<void> lay_out();
    void lay_out_constants();
    std::uint32_t constant_word(std::uint32_t word);
    Result<void> block(BlockId id);
    Result<void> node(NodeId id);
    void value(NodeId id);
    void compose(NodeId id);
    void gather(NodeId id, std::span<const std::uint32_t> from);
    std::uint32_t part(NodeId id) const;
    const Type& type(NodeId id) const { return types_[program_.type(id)]; }
    std::uint32_t words(NodeId id) const {
        return static_cast<std::uint32_t>(types_.scalar_words(program_.type(id)));
    }
    std::uint32_t words(TypeId id) const { return static_cast<std::uint32_t>(types_.scalar_words(id)); }
    std::uint32_t at(NodeId id) const { return registers_of_[id.index]; }
    std::uint32_t result(NodeId id);
    std::uint32_t emit(Instruction instruction);

    // compiler_memory.cpp
    struct Address {
        Form form = Form::fixed;
        Instruction fields;  // b, c, d, e, f as the form defines them
    };
    Where where(VariableId id, TypeId type) const;
    Address address(NodeId reference, bool in_register);
    Result<void> load(NodeId id);
    Result<void> store(NodeId place, NodeId value);
    Result<void> declare(NodeId id);
    Result<void> access(bool is_load, NodeId place, TypeId type, std::uint32_t value);
    void extract_dynamic(NodeId id);
    void atomic(NodeId id);
    void subgroup(NodeId id);
    void grid_barrier(bool orders);
    void grid_uniform_load(NodeId id);
    void array_length(NodeId id);
    std::optional<std::uint32_t> fixed_in_frame(NodeId place) const;
    std::optional<std::uint32_t> target_of_next(NodeId id) const;
    void zero(std::uint32_t at, std::uint32_t count);
    void copy(std::uint32_t to, std::uint32_t from, std::uint32_t count);

    // compiler_control.cpp
    Result<void> control(NodeId id);
    Result<void> if_(NodeId id);
    Result<void> loop(NodeId id);
    Result<void> switch_(NodeId id);
    Result<void> nested(BlockId id, Label* break_to, Label* continue_to);
    Label* sole_jump(BlockId id);
    Label& jump_target(Op op);
    void jump(Label& to);
    void branch(NodeId condition, bool when, Label& to);
    void bind(Label& label);
    bool is_left_to_branch(NodeId id) const;

    ValidProgram program_owner_;
    const Program& program_;
    const TypeTable& types_;
    InterpreterCode::Variant variant_;
    std::shared_ptr<InterpreterCode::Data> code_;
    Liveness live_;
    Layouts layouts_;
    Registers registers_{0};
    std::vector<std::uint32_t> registers_of_;  // by node: position of its value
    std::vector<std::uint32_t> variables_;     // by variable: offset in the frame or in workgroup memory
    std::vector<std::uint32_t> bindings_;      // by variable: position among the bindings
    std::unordered_map<std::uint32_t, std::uint32_t> constant_words_;
    struct Targets {
        Label* break_to;
        Label* continue_to;
    };
    std::vector<Targets> targets_;
    Label done_;
    NodeId current_;  // the node being compiled
    NodeId next_;     // the node that follows it in its block; none at the end
    std::uint32_t now_ = 0;
};

}  // namespace muster::interpreter
