// lane_builder.hpp - LLVM's IRBuilder for the lanes of a subgroup: it knows which of them are active, and has
// each word as a scalar or as a vector.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>
#include <muster/backend-cpu/compiler/lowering/shapes.hpp>

namespace muster::cpu {

using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Value;

/// A word of a value, in the form that Shapes decides.
struct Lane {
    Value* value = nullptr;     // varying: a vector; otherwise a scalar: the common value or the base
    std::uint32_t offsets = 0;  // id in LaneOffsets; 0 if varying
    bool varying = false;
    bool is_uniform() const { return !varying && offsets == 0; }
};
using Lanes = std::vector<Lane>;

/// What a loop's metadata call the number of copies that unrolling makes.
inline constexpr const char* copies_of_loop = "muster.copies";

inline Lane shaped(Shape shape, Value* value) {
    return {.value = value, .offsets = shape.is_varying() ? 0 : shape.offsets, .varying = shape.is_varying()};
}

class LaneBuilder : public Builder {
  public:
    /// Begins the function, which is empty.
    LaneBuilder(llvm::Function& function, const LaneOffsets& offsets);

    /// The active lanes; null: all of them. Code always runs with at least one active lane: when the last one
    /// leaves, so does control, so a uniform value is always some active lane's.
    Value* mask = nullptr;
    bool reachable = true;  // true if control reaches the builder's position

    // Types: of a scalar as a value, in a lane's own memory, and in WGSL's layout.
    llvm::Type* scalar_type(Scalar scalar);
    llvm::Type* memory_type(Scalar scalar);
    llvm::Type* host_type(Scalar scalar);
    llvm::Type* vector_of(llvm::Type* element) const;

    // Values in these forms.
    Value* memory_form(Value* value);                         // bool to i32
    Value* host_form(Value* value, Scalar scalar);            // as host_type() has it
    Value* value_form(Value* value, Scalar scalar);           // the reverse of both
    Lane load_lane(Value* from, Scalar scalar, Shape shape);  // in its form in memory
    void store_lane(Value* to, Value* value);

    // Words.
    Value* word(std::uint32_t value) { return getInt32(value); }
    Value* as_vector(const Lane& lane);
    Value* as_vector(Value* scalar);
    llvm::Constant* lane_constants(std::span<const std::uint32_t> words);
    /// The lane in the form that `shape` asks for: a scalar may become a vector, never the reverse.
    Lane fit(const Lane& lane, Shape shape);
    /// The value of an active lane, for a value that all active lanes share.
    Value* one_of(const Lane& lane);
    Value* is_below(const Lane& index, Value* count);

    // Masks; null is true for all lanes. Slots hold masks where paths with different masks meet.
    llvm::Constant* all_lanes() { return llvm::ConstantInt::getTrue(vector_of(getInt1Ty())); }
    llvm::Constant* no_lanes() { return llvm::ConstantInt::getFalse(vector_of(getInt1Ty())); }
    Value* active() { return mask ? mask : all_lanes(); }
    Value* active_where(Value* valid);   // a vector, or null
    Value* both(Value* a, Value* b);     // scalars become vectors as needed
    Value* any(Value* lanes);            // i1
    Value* bits_of(Value* lanes);        // iW: one bit per lane
    Value* mask_slot(const char* name);  // with no lanes at first
    void add_to_mask(Value* to);         // the active ones
    Value* load_mask(Value* from);

    Value* slot(llvm::Type* type, const char* name);         // an alloca in the entry block
    Value* slot(llvm::Constant* initial, const char* name);  // set to a value there
    Value* offset_pointer(Value* base, Value* bytes);
    Value* offset_pointer(Value* base, std::uint64_t bytes) { return offset_pointer(base, getInt64(bytes)); }
    BasicBlock* block(const char* name);
    /// One value if control comes from one block, the other one from the other; a phi.
    Value* either(Value* a, BasicBlock* from_a, Value* b, BasicBlock* from_b);
    /// Continues in a new block if the condition holds, else at `otherwise`.
    void go_on_if(Value* condition, const char* name, BasicBlock* otherwise);
    /// Continues at a block with all lanes, if anything branches to it.
    void arrive(BasicBlock* at);
    /// Says of a loop's last branch how LLVM unrolls the loop, in its word, such as "full". `turns`: how many copies that makes.
    void set_unrolling(llvm::BranchInst* back, const std::string& how, std::uint64_t turns = 1);

  private:
    const LaneOffsets& offsets_;
    const std::uint32_t width_;
    BasicBlock* entry_;
};

}  // namespace muster::cpu
