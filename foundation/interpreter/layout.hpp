// layout.hpp - where values lie in memory, in words. Internal to the interpreter's compiler.
//
// Values, and function, private and workgroup variables, are packed: their scalars in order. Bindings have
// WGSL's layout. An address is a constant offset and a step for each index that isn't a constant within
// bounds.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/program.hpp>
#include <muster/foundation/result.hpp>

namespace muster::interpreter {

/// Words that the frames of a workgroup's invocations may have, its memory, and one value: 256 MiB.
inline constexpr std::uint64_t max_memory_words = std::uint64_t{1} << 26;
/// Words of a binding: 8 GiB, so that no i32 below zero is an index within bounds.
inline constexpr std::uint64_t max_binding_words = std::uint64_t{1} << 31;

struct Step {
    NodeId index;
    std::uint32_t stride = 0;
    std::uint32_t count = 0;  // elements; 0: the binding's run-time array
};

struct Place {
    VariableId variable;
    std::uint64_t offset = 0;  // from the variable's start
    std::vector<Step> steps;   // outermost first
};
Place resolve(const Program& program, NodeId reference);

/// Where a run-time array of a binding begins, its stride, in words; count 0 where it has none.
struct RuntimeArray {
    std::uint64_t offset = 0, stride = 0;
};
RuntimeArray runtime_array(const TypeTable& types, TypeId type);

/// The shapes of values as they lie in packed memory and in bindings; each made once.
class Shapes {
  public:
    Shapes(const TypeTable& types, InterpreterCode::Data& code) : types_(types), code_(code) {}
    /// Errors: limit_exceeded, for arrays whose padding parts them into more than 2^22 pieces.
    Result<std::uint32_t> shape(TypeId type, bool packed);

  private:
    struct Known {
        TypeId type;
        bool packed;
        std::uint32_t shape;
    };
    bool add(TypeId type, std::uint64_t value, std::uint64_t memory, std::uint32_t first);

    const TypeTable& types_;
    InterpreterCode::Data& code_;
    std::vector<Known> known_;
};

}  // namespace muster::interpreter
