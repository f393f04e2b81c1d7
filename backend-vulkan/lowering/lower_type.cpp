#include <array>

#include <muster/backend-vulkan/lowering/lower_type.hpp>

namespace muster::vulkan {

Types::Types(Module& module, const TypeTable& table)
    : module_(module), table_(table), known_(table.count()) {}

bool Types::is_aggregate(TypeId type) const {
    return table_[type].kind == TypeKind::array || table_[type].kind == TypeKind::structure;
}

bool Types::is_block_itself(TypeId type) const {
    return table_[type].kind == TypeKind::structure && table_.has_runtime_array(type);
}

Word Types::literal(std::uint64_t bytes) {
    if (bytes > UINT32_MAX) overflowed_ = true;
    return static_cast<Word>(bytes);
}

Id Types::none() { return module_.type(spv::Op::OpTypeVoid, {}); }

Id Types::pointer(spv::StorageClass space, Id type) {
    return module_.type(spv::Op::OpTypePointer, {static_cast<Word>(space), type});
}

Id Types::scalar(Scalar scalar, bool in_memory) {
    if (in_memory && info(scalar).bytes < 4) return small_integer(scalar);
    switch (scalar) {
        case Scalar::boolean: return module_.type(spv::Op::OpTypeBool, {});
        case Scalar::i8:
        case Scalar::i16:
        case Scalar::i32: return module_.type(spv::Op::OpTypeInt, {32, 1});
        case Scalar::u8:
        case Scalar::u16:
        case Scalar::u32:
        case Scalar::f16: return module_.type(spv::Op::OpTypeInt, {32, 0});
        case Scalar::f32: return module_.type(spv::Op::OpTypeFloat, {32});
        case Scalar::i64:
        case Scalar::u64:
            module_.require(spv::Capability::Int64);
            return module_.type(spv::Op::OpTypeInt, {64, is_signed(scalar) ? 1u : 0u});
        case Scalar::f64:
            module_.require(spv::Capability::Float64);
            return module_.type(spv::Op::OpTypeFloat, {64});
    }
    return no_id;
}

// Half words and bytes in buffers need no such arithmetic of the device, only access.
Id Types::small_integer(Scalar scalar) {
    const std::uint32_t bytes = info(scalar).bytes;
    if (bytes == 2) {
        module_.require(spv::Capability::StorageBuffer16BitAccess);
        module_.require(spv::Capability::UniformAndStorageBuffer16BitAccess);
    } else {
        module_.require(spv::Capability::StorageBuffer8BitAccess);
        module_.require(spv::Capability::UniformAndStorageBuffer8BitAccess);
        if (!module_.is_at_least(0x00010500)) module_.require_extension("SPV_KHR_8bit_storage");
    }
    return module_.type(spv::Op::OpTypeInt, {8 * bytes, is_signed(scalar) ? 1u : 0u});
}

Id Types::value(TypeId type) {
    if (known_[type.index].value == no_id) {
        const Id made = make(type, false);
        known_[type.index].value = made;
    }
    return known_[type.index].value;
}

Id Types::memory(TypeId type) {
    if (!is_aggregate(type) && table_[type].least_bytes == 4) return value(type);
    if (known_[type.index].memory == no_id) {
        const Id made = make(type, true);
        known_[type.index].memory = made;
    }
    return known_[type.index].memory;
}

Id Types::make(TypeId id, bool in_memory) {
    const Type& type = table_[id];
    switch (type.kind) {
        case TypeKind::none: return none();
        case TypeKind::scalar:
        case TypeKind::atomic: return scalar(type.scalar, in_memory);
        case TypeKind::vector:
            return module_.type(spv::Op::OpTypeVector, {scalar(type.scalar, in_memory), type.width});
        case TypeKind::array: return array(type, in_memory);
        case TypeKind::structure: return structure(type, in_memory);
    }
    return no_id;
}

Id Types::array(const Type& type, bool in_memory) {
    const Id element = in_memory ? memory(type.element) : value(type.element);
    const std::array count{type.count};
    const Id count_id =
        type.count == 0 ? no_id : module_.constant(spv::Op::OpConstant, scalar(Scalar::u32, false), count);
    if (!in_memory) return module_.type(spv::Op::OpTypeArray, {element, count_id});
    const Id made = module_.id();
    if (type.count == 0) {
        module_.globals.add(spv::Op::OpTypeRuntimeArray, {made, element});
    } else {
        module_.globals.add(spv::Op::OpTypeArray, {made, element, count_id});
    }
    module_.decorate(made, spv::Decoration::ArrayStride, {literal(type.stride)});
    return made;
}

Id Types::structure(const Type& type, bool in_memory) {
    std::vector<Word> members;
    for (const Member& member : type.members)
        members.push_back(in_memory ? memory(member.type) : value(member.type));
    const Id made = module_.id();
    module_.globals.add(spv::Op::OpTypeStruct, {made}, members);
    module_.name(made, type.name);
    for (std::size_t m = 0; m < type.members.size(); ++m) {
        module_.name_member(made, static_cast<Word>(m), type.members[m].name);
        if (in_memory)
            module_.decorate_member(made, static_cast<Word>(m), spv::Decoration::Offset,
                                    {literal(type.members[m].offset)});
    }
    return made;
}

Id Types::block(TypeId type) {
    Id& known = known_[type.index].block;
    if (known != no_id) return known;
    if (is_block_itself(type)) {
        known = memory(type);
    } else {
        const Id inner = memory(type);
        known = module_.id();
        module_.globals.add(spv::Op::OpTypeStruct, {known, inner});
        module_.decorate_member(known, 0, spv::Decoration::Offset, {0});
    }
    module_.decorate(known, spv::Decoration::Block);
    return known;
}

}  // namespace muster::vulkan
