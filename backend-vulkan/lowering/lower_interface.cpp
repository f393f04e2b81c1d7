// The interface of module and dispatch: bindings, push constants, built-in values.
#include <algorithm>

#include <muster/backend-vulkan/lowering/lowering.hpp>
#include <muster/backend-vulkan/lowering/uniform_layout.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::vulkan {
namespace {

constexpr TypeId ids_type = type_of(Scalar::u32, 3);
constexpr std::uint32_t ids_bytes = 12, ids_align = 16;

}  // namespace

Id Lowering::global(spv::StorageClass space, Id type, Id initial) {
    const Id pointer = types_.pointer(space, type), made = module_.id();
    const std::array start{initial};
    module_.globals.add(spv::Op::OpVariable, {pointer, made, static_cast<Word>(space)},
                        std::span(start).first(initial == no_id ? 0 : 1));
    globals_.push_back(made);
    if (space == spv::StorageClass::Input) inputs_.push_back(made);
    return made;
}

void Lowering::declare_interface() {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i)
        if (program_.node({i}).op == Op::builtin) used_builtins_[program_.node({i}).payload] = true;
    if (target_.folds_grid) declare_grid_words();
    const auto bindings = program_.bindings();
    for (std::uint32_t i = 0; i < bindings.size(); ++i)
        if (!take_push_constant(bindings[i])) declare_buffer(bindings[i], i);
    declare_report();
    declare_push_constants();
}

void Lowering::declare_grid_words() {
    const auto add = [&] {
        const auto at = static_cast<std::uint32_t>(round_up(push_bytes_, ids_align));
        push_members_.push_back({types_.value(ids_type), at});
        push_bytes_ = at + ids_bytes;
        return static_cast<std::uint32_t>(push_members_.size() - 1);
    };
    if (uses(Builtin::workgroup_id) || uses(Builtin::global_invocation_id)) origin_member_ = add();
    if (uses(Builtin::num_workgroups)) grid_member_ = add();
}

bool Lowering::take_push_constant(VariableId id) {
    const Variable& variable = program_.variable(id);
    const Type& type = types_[variable.type];
    if (variable.space != AddressSpace::uniform || type.size > target_.push_constant_bytes) return false;
    if (type.least_bytes < 4)
        return false;  // devices have access to less than a word in buffers rather than in push constants
    const auto at = static_cast<std::uint32_t>(round_up(push_bytes_, std::max(ids_align, type.align)));
    const auto bytes = static_cast<std::uint32_t>(type.size);
    if (at + bytes > target_.push_constant_bytes) return false;
    if (push_constants_ == no_id) push_constants_ = module_.id();
    roots_[id.index] = Root{.variable = push_constants_,
                            .space = spv::StorageClass::PushConstant,
                            .in_memory = true,
                            .member = static_cast<Word>(push_members_.size())};
    push_members_.push_back({types_.memory(variable.type), at});
    push_bytes_ = at + bytes;
    for (std::size_t i = 0; i < bindings_.size(); ++i)
        if (program_.bindings()[i] == id)
            bindings_[i] = {.kind = BindingKind::push_constant, .offset = at, .bytes = bytes};
    return true;
}

void Lowering::declare_push_constants() {
    if (push_members_.empty()) return;
    if (push_constants_ == no_id) push_constants_ = module_.id();
    std::vector<Word> members;
    for (const PushMember& member : push_members_) members.push_back(member.type);
    const Id block = module_.id();
    module_.globals.add(spv::Op::OpTypeStruct, {block}, members);
    module_.decorate(block, spv::Decoration::Block);
    for (Word m = 0; m < push_members_.size(); ++m)
        module_.decorate_member(block, m, spv::Decoration::Offset, {push_members_[m].offset});
    const auto space = spv::StorageClass::PushConstant;
    const Id pointer = types_.pointer(space, block);
    module_.globals.add(spv::Op::OpVariable, {pointer, push_constants_, static_cast<Word>(space)});
    module_.name(push_constants_, "push_constants");
    globals_.push_back(push_constants_);
}

void Lowering::declare_buffer(VariableId id, std::uint32_t index) {
    const Variable& variable = program_.variable(id);
    const bool is_storage =
        variable.space == AddressSpace::storage || !fits_uniform_buffer(program_.types(), variable.type);
    const auto space = is_storage ? spv::StorageClass::StorageBuffer : spv::StorageClass::Uniform;
    const Id made = global(space, types_.block(variable.type));
    SpirvBinding& binding = bindings_[index];
    binding = {.kind = is_storage ? BindingKind::storage_buffer : BindingKind::uniform_buffer,
               .set = target_.one_set ? 0 : variable.group,
               .binding = target_.one_set ? index : variable.binding};
    module_.name(made, variable.name);
    module_.decorate(made, spv::Decoration::DescriptorSet, {binding.set});
    module_.decorate(made, spv::Decoration::Binding, {binding.binding});
    if (is_storage) {
        // The driver refuses bindings that overlap one that is written.
        module_.decorate(made, spv::Decoration::Restrict);
        if (!variable.is_written) module_.decorate(made, spv::Decoration::NonWritable);
        // Without it, in this memory model, a barrier doesn't make stores visible to other invocations.
        if (variable.is_written && variable.is_read && program_.required_ops().contains(Op::storage_barrier))
            module_.decorate(made, spv::Decoration::Coherent);
    }
    Root& root = roots_[id.index].emplace();
    root = {.variable = made, .space = space, .in_memory = true, .member = Word{0}};
    if (types_.is_block_itself(variable.type)) root.member.reset();
}

// Built-in values are read once, before everything else.

Id Lowering::built_in_input(spv::BuiltIn which, TypeId type) {
    const Id variable = global(spv::StorageClass::Input, types_.value(type));
    module_.decorate(variable, spv::Decoration::BuiltIn, {static_cast<Word>(which)});
    return builder_.add(spv::Op::OpLoad, type, {variable});
}

Id Lowering::grid_words(std::uint32_t member) {
    const Id pointer = types_.pointer(spv::StorageClass::PushConstant, types_.value(ids_type));
    const Id at = builder_.add(spv::Op::OpAccessChain, pointer, {push_constants_, builder_.word(member)});
    return builder_.add(spv::Op::OpLoad, ids_type, {at});
}

Id Lowering::grid_input() {
    if (grid_input_ == no_id)
        grid_input_ =
            builder_.in_prologue([&] { return built_in_input(spv::BuiltIn::NumWorkgroups, ids_type); });
    return grid_input_;
}

// Zero, computed from the number of workgroups: a square is 0, 1 or 4 modulo 8, so its bits 0 and 2 are never
// both set, which no compiler recognises. Negated, it could have any bits. If the program itself compares the
// number of workgroups, that reveals nothing.
Id Lowering::runtime_zero(Builder::Unknown which) {
    const Id grid = grid_input();
    return builder_.in_prologue([&] {
        const auto bit = [&](spv::Op op, Id a, Id b) { return builder_.add(op, u32_type, {a, b}); };
        const Word component = which == Builder::Unknown::of_constants ? 0 : 1;
        const Id count = builder_.add(spv::Op::OpCompositeExtract, u32_type, {grid, component});
        const Id square = bit(spv::Op::OpIMul, count, count);
        const Id high = bit(spv::Op::OpShiftRightLogical, square, builder_.word(2));
        const Id both =
            bit(spv::Op::OpBitwiseAnd, bit(spv::Op::OpBitwiseAnd, square, high), builder_.word(1));
        return builder_.add(spv::Op::OpSNegate, u32_type, {both});
    });
}

Id Lowering::builtin(Builtin which) {
    Id& known = builtins_[static_cast<std::size_t>(which)];
    if (known == no_id) {
        known = builder_.in_prologue([&] { return make_builtin(which); });
        if (builder_.constant_components(known) == nullptr) module_.name(known, name(which));
    }
    return known;
}

Id Lowering::make_builtin(Builtin which) {
    const Word size = target_.options.subgroup_size;
    switch (which) {
        case Builtin::local_invocation_id: return make_local_id();
        case Builtin::local_invocation_index: return make_local_index();
        case Builtin::num_workgroups: return grid_member_ ? grid_words(*grid_member_) : grid_input();
        case Builtin::workgroup_id: {
            const Id own = built_in_input(spv::BuiltIn::WorkgroupId, ids_type);
            if (!origin_member_) return own;
            return builder_.add(spv::Op::OpIAdd, ids_type, {own, grid_words(*origin_member_)});
        }
        case Builtin::subgroup_invocation_id:
            module_.require(spv::Capability::GroupNonUniform);
            return built_in_input(spv::BuiltIn::SubgroupLocalInvocationId, u32_type);
        case Builtin::subgroup_id:
            module_.require(spv::Capability::GroupNonUniform);
            return built_in_input(spv::BuiltIn::SubgroupId, u32_type);
        case Builtin::subgroup_size: return builder_.word(size);
        case Builtin::num_subgroups:
            return builder_.word(static_cast<Word>(round_up(program_.workgroup_size().count(), size) / size));
        case Builtin::global_invocation_id: break;
    }
    return make_global_id();
}

Id Lowering::make_local_index() {
    const std::uint32_t size = target_.options.subgroup_size;
    if (!subgroups_ || program_.workgroup_size().count() % size != 0)
        return built_in_input(spv::BuiltIn::LocalInvocationIndex, u32_type);
    const Id before =
        builder_.add(spv::Op::OpIMul, u32_type, {builtin(Builtin::subgroup_id), builder_.word(size)});
    return builder_.add(spv::Op::OpIAdd, u32_type, {before, builtin(Builtin::subgroup_invocation_id)});
}

// With subgroups, the workgroup is along x alone.
Id Lowering::make_local_id() {
    if (!subgroups_) return built_in_input(spv::BuiltIn::LocalInvocationId, ids_type);
    const Extent3 size = program_.workgroup_size();
    const Id index = builtin(Builtin::local_invocation_index);
    const auto split = [&](Id from, std::uint32_t by) {
        return std::pair{builder_.add(spv::Op::OpUMod, u32_type, {from, builder_.word(by)}),
                         builder_.add(spv::Op::OpUDiv, u32_type, {from, builder_.word(by)})};
    };
    const auto [x, row] = split(index, size.x);
    const auto [y, z] = split(row, size.y);
    return builder_.add(spv::Op::OpCompositeConstruct, ids_type, {x, y, z});
}

Id Lowering::make_global_id() {
    const Extent3 size = program_.workgroup_size();
    const std::array sizes{size.x, size.y, size.z};
    const auto first_of = [&](Id workgroup) {
        return builder_.add(spv::Op::OpIMul, ids_type, {workgroup, builder_.constant(ids_type, sizes)});
    };
    if (subgroups_)
        return builder_.add(
            spv::Op::OpIAdd, ids_type,
            {first_of(builtin(Builtin::workgroup_id)), builtin(Builtin::local_invocation_id)});
    const Id own = built_in_input(spv::BuiltIn::GlobalInvocationId, ids_type);
    if (!origin_member_) return own;
    return builder_.add(spv::Op::OpIAdd, ids_type, {own, first_of(grid_words(*origin_member_))});
}

}  // namespace muster::vulkan
