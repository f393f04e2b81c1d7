// builder.hpp - appends instructions to the module's one function: values, constants, blocks.
//
// Code goes to the open block; is_open() is false after a branch, until the next begin(). Declarations of
// types and constants go to their own section of the module.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include <muster/backend-vulkan/lowering/debug_lines.hpp>
#include <muster/backend-vulkan/lowering/lower_type.hpp>
#include <muster/backend-vulkan/lowering/module.hpp>

namespace muster::vulkan {

class Builder {
  public:
    using List = Instructions::List;

    Builder(Module& of, Types& with, DebugLines& from, bool is_exact);

    Module& module;
    Types& types;
    DebugLines& lines;
    const bool exact;  // arithmetic of floats is decorated NoContraction

    /// Appends an instruction that yields a value of a program's type.
    Id add(spv::Op op, TypeId type, List operands) { return add(op, types.value(type), operands); }
    Id add(spv::Op op, Id type, List operands, std::span<const Word> more = {});
    /// Adds arithmetic of floats, f32 or f64: in exact mode never contracted, with operands hidden that
    /// compilers mishandle as constants.
    Id number(spv::Op op, TypeId type, List operands);
    Id comparison(spv::Op op, TypeId type, Id a, Id b);  // of floats
    Id glsl(GLSLstd450 function, TypeId type, List operands);
    Id glsl_number(GLSLstd450 function, TypeId type, List operands);
    void statement(spv::Op op, List operands, std::span<const Word> more = {});

    /// `words`: scalars in order, as in a constant node; empty: all zero.
    Id constant(TypeId type, std::span<const std::uint32_t> words);
    Id zero(TypeId type) { return constant(type, {}); }
    /// A scalar or a vector with these bits in each component.
    Id all(TypeId type, std::uint64_t bits);
    Id word(std::uint32_t value) { return all(u32_type, value); }
    /// The bits of a scalar or vector constant's components; null for any other value.
    const std::vector<std::uint64_t>* constant_components(Id value) const;

    /// In exact mode, a scalar or vector constant with its components that are floats, or only its
    /// zeros, hidden from compilers (builder_hidden.cpp). In fast mode, and for anything but a
    /// constant, the value itself.
    enum class Hide : std::uint8_t { zeros, numbers };
    Id hidden(Id value, Hide what);
    /// constant() and zero() of any type, with all floats hidden in exact mode.
    Id hidden_constant(TypeId type, std::span<const std::uint32_t> words);
    Id hidden_zero(TypeId type);
    bool contains_number(TypeId type) const;  // f32 or f64
    /// The value (an integer or a vector of them) in a form that no compiler recognises as a constant.
    Id unknown(TypeId type, Id value);
    /// False, in a form that no compiler recognises; a branch on it doesn't reveal what is hidden.
    Id never();
    /// Makes a u32 in the prologue that is zero without any compiler knowing it; knowledge of one kind says
    /// nothing about the other. Set by the owner.
    enum class Unknown : std::uint8_t { of_constants, of_branches };
    std::function<Id(Unknown)> runtime_zero;

    /// Selects scalars by a bool, vectors by one bool per component.
    Id select(TypeId type, Id condition, Id if_true, Id if_false);
    /// Selects values of any type by one bool.
    Id choose(TypeId type, Id condition, Id if_true, Id if_false);
    Id splat(TypeId type, Id scalar);
    /// The conjunction; no_id stands for true.
    Id both(Id a, Id b);

    /// Starts the function's first block; its label precedes `variables` and `prologue`.
    void start(Id label);
    void begin(Id label);
    void branch(Id to);
    void branch(Id condition, Id if_true, Id if_false);
    void unreachable();
    void end() { open_ = false; }  // after an instruction that ends a block
    bool is_open() const { return open_; }
    Id label() const { return label_; }  // of the open block

    /// Emits if (condition) { make() }; yields make()'s value, or zero if the condition is false.
    template <class Make>
    Id guarded(Id condition, TypeId type, Make make) {
        const Id before = label_, inside = module.id(), after = module.id();
        const Id otherwise = type == no_type ? no_id : hidden_zero(type);
        open_if(condition, inside, after);
        const Id made = make();
        const Id end = label_;
        branch(after);
        begin(after);
        return type == no_type ? no_id : add(spv::Op::OpPhi, type, {made, end, otherwise, before});
    }

    /// Emits into the prologue, which runs before everything else and has no blocks:
    /// built-in values, lengths.
    template <class Make>
    auto in_prologue(Make make) {
        Instructions* const was = std::exchange(code, &prologue);
        auto made = make();
        code = was;
        return made;
    }
    Id local_variable(Id type, Id initial = no_id);  // a variable of the function

    Instructions variables, prologue, body;
    Instructions* code = &body;

  private:
    void open_if(Id condition, Id inside, Id after);
    Id constant_from(TypeId type, std::span<const std::uint32_t>& words);
    Id scalar_constant(Scalar scalar, std::uint64_t bits);
    Id remember(Id constant, TypeId type, std::vector<std::uint64_t> components);
    std::vector<TypeId> part_types(TypeId type) const;
    Id hidden_scalar(Scalar scalar, std::uint64_t bits);
    Id hidden_from(TypeId type, std::span<const std::uint32_t>& words);
    std::vector<Word> hidden_operands(List operands);  // operands of arithmetic
    Id composed_before(TypeId type, std::span<const Word> parts);
    Id known_runtime_zero();

    struct Constant {
        TypeId type;
        std::vector<std::uint64_t> components;
    };
    std::unordered_map<Id, Constant> constants_;  // scalars and vectors
    std::map<std::pair<Scalar, std::uint64_t>, Id> hidden_scalars_;
    std::map<std::pair<Id, Hide>, Id> hidden_vectors_;
    std::map<std::uint32_t, Id> hidden_zeros_;  // arrays and structures, by type
    Id runtime_zero_ = no_id, never_ = no_id;
    Id label_ = no_id;
    bool open_ = false;
};

}  // namespace muster::vulkan
