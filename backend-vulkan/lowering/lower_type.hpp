// lower_type.hpp - the types of a program in SPIR-V.
//
// Arrays and structures come twice: as values, and as they lie in bindings, with WGSL's offsets and strides; Vulkan
// wants these decorations there and nowhere else. Scalars and vectors are one type in both. An atomic is the integer
// in it. bool stays OpTypeBool: a binding has none.
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

    Id value(TypeId type);   // of values, and of function, private and workgroup variables
    Id memory(TypeId type);  // in bindings
    /// The Block that a binding's variable is: a structure whose one member the binding's type is, or a structure that
    /// ends in a run-time array itself, since that can't be a member.
    Id block(TypeId type);
    bool is_block_itself(TypeId type) const;
    bool is_aggregate(TypeId type) const;

    Id pointer(spv::StorageClass space, Id type);
    Id none();
    /// Offsets or strides are over 32 bits, which no SPIR-V module can say.
    bool overflowed() const { return overflowed_; }

  private:
    struct Known {
        Id value = no_id, memory = no_id, block = no_id;
    };
    Id scalar(Scalar scalar);
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
