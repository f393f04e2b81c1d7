// lower_type.hpp - a program's types in SPIR-V.
//
// Arrays and structures have two types: one for values, and one for bindings, with WGSL's offsets and
// strides, which Vulkan requires there and nowhere else. Scalars and vectors have one type for both, but for
// those smaller than a word: a value of f16 is a u32 with its bits in the low half, a narrow integer an i32
// or u32. An atomic is its integer type. bool is OpTypeBool: bindings have none.
#pragma once

#include <vector>

#include <muster/backend-vulkan/lowering/module.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::vulkan {

class Types {
  public:
    Types(Module& module, const TypeTable& table);

    const Type& operator[](TypeId type) const { return table_[type]; }
    const TypeTable& table() const { return table_; }

    Id value(TypeId type);   // for values, and for function, private and workgroup variables
    Id memory(TypeId type);  // for bindings
    /// The Block type of a binding's variable: a structure with the binding's type as its only member; or
    /// that type itself, if it is a structure that ends in a run-time array, which can't be a member.
    Id block(TypeId type);
    bool is_block_itself(TypeId type) const;
    bool is_aggregate(TypeId type) const;

    Id pointer(spv::StorageClass space, Id type);
    Id none();
    /// True if an offset or stride exceeds 32 bits, which SPIR-V can't express.
    bool overflowed() const { return overflowed_; }

  private:
    struct Known {
        Id value = no_id, memory = no_id, block = no_id;
    };
    Id scalar(Scalar scalar, bool in_memory);
    Id small_integer(Scalar scalar);
    Id make(TypeId type, bool in_memory);
    Id array(const Type& type, bool in_memory);
    Id structure(const Type& type, bool in_memory);
    Word literal(std::uint64_t bytes);

    Module& module_;
    const TypeTable& table_;
    std::vector<Known> known_;
    bool overflowed_ = false;
};

}  // namespace muster::vulkan
