// builder.hpp - appends instructions to the function that a module is: values, constants, blocks.
//
// Code goes to the open block; is_open() is false after a branch, until the next begin(). Declared types and constants
// go where they belong by themselves.
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
    const bool exact;  // f32 arithmetic is decorated NoContraction

    /// What yields a value of a program's type.
    Id add(spv::Op op, TypeId type, List operands) { return add(op, types.value(type), operands); }
    Id add(spv::Op op, Id type, List operands, std::span<const Word> more = {});
    /// The same, of f32: in exact mode never contracted, and constants that compilers are wrong about hidden.
    Id number(spv::Op op, TypeId type, List operands);
    Id comparison(spv::Op op, TypeId type, Id a, Id b);  // of f32s
    Id glsl(GLSLstd450 function, TypeId type, List operands);
    Id glsl_number(GLSLstd450 function, TypeId type, List operands);
    void statement(spv::Op op, List operands, std::span<const Word> more = {});

    /// Scalars in order, as a constant node has them; none: zero throughout.
    Id constant(TypeId type, std::span<const std::uint32_t> words);
    Id zero(TypeId type) { return constant(type, {}); }
    /// A scalar or a vector with these bits in each component.
    Id all(TypeId type, std::uint32_t bits);
    Id word(std::uint32_t value) { return all(u32_type, value); }
    /// Of a scalar or vector constant, a word per component; null for what isn't one.
    const std::vector<std::uint32_t>* constant_words(Id value) const;

    /// In exact mode: a scalar or vector constant with its f32s hidden from compilers (builder_hidden.cpp), only those that
    /// are zero or all. Else, and of anything but a constant: the value itself.
    enum class Hide : std::uint8_t { zeros, numbers };
    Id hidden(Id value, Hide what);
    /// constant() and zero() with all their f32s hidden in exact mode, of any type.
    Id hidden_constant(TypeId type, std::span<const std::uint32_t> words);
    Id hidden_zero(TypeId type);
    bool contains_number(TypeId type) const;  // f32s
    /// An i32 or u32, or a vector of them, that no compiler knows to be a constant.
    Id unknown(TypeId type, Id value);
    /// False, and no compiler knows it, nor learns from it what is hidden.
    Id never();
    /// Makes a u32 of which no compiler knows that it is zero, in the prologue; what is known of one says nothing of the
    /// other. To be set.
    enum class Unknown : std::uint8_t { of_constants, of_branches };
    std::function<Id(Unknown)> runtime_zero;

    /// Of scalars by a bool, of vectors by one per component.
    Id select(TypeId type, Id condition, Id if_true, Id if_false);
    /// Of any type, by one bool.
    Id choose(TypeId type, Id condition, Id if_true, Id if_false);
    Id splat(TypeId type, Id scalar);
    /// Both; no_id stands for true.
    Id both(Id a, Id b);

    /// The function's first block, whose label stands before `variables` and `prologue`.
    void start(Id label);
    void begin(Id label);
    void branch(Id to);
    void branch(Id condition, Id if_true, Id if_false);
    void unreachable();
    void end() { open_ = false; }  // after an instruction that ends a block
    bool is_open() const { return open_; }
    Id label() const { return label_; }  // of the open block

    /// if (condition) { make() }: what it yields, or zero where the condition is false.
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

    /// What runs before everything else and has no blocks: built-in values, lengths.
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
    Id scalar_constant(Scalar scalar, std::uint32_t bits);
    Id remember(Id constant, TypeId type, std::span<const std::uint32_t> words);
    std::vector<TypeId> part_types(TypeId type) const;
    Id hidden_scalar(std::uint32_t bits);
    Id hidden_from(TypeId type, std::span<const std::uint32_t>& words);
    std::vector<Word> hidden_operands(List operands);  // of arithmetic
    Id composed_before(TypeId type, std::span<const Word> parts);
    Id known_runtime_zero();

    struct Constant {
        TypeId type;
        std::vector<std::uint32_t> words;
    };
    std::unordered_map<Id, Constant> constants_;  // scalars and vectors
    std::map<std::uint32_t, Id> hidden_scalars_;  // by bits
    std::map<std::pair<Id, Hide>, Id> hidden_vectors_;
    std::map<std::uint32_t, Id> hidden_zeros_;  // by type, of arrays and structures
    Id runtime_zero_ = no_id, never_ = no_id;
    Id label_ = no_id;
    bool open_ = false;
};

}  // namespace muster::vulkan
