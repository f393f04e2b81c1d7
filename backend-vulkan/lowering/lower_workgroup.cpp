// Zeroes workgroup memory before use: by the device if it can, otherwise by the workgroup's invocations
// together. Skips what the program overwrites first.
#include <muster/backend-vulkan/lowering/lowering.hpp>
#include <muster/foundation/analysis/overwritten.hpp>

namespace muster::vulkan {

void Lowering::zero_workgroup_memory() {
    if (target_.zero_initialize_workgroup_memory) return;  // make_root() initialises each variable
    bool any = false;
    std::vector<VariableId> whole;
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v) {
        const VariableId id{v};
        const Variable& variable = program_.variable(id);
        if (variable.space != AddressSpace::workgroup || is_overwritten_first(program_, id)) continue;
        any = true;
        if (types_[variable.type].kind == TypeKind::array) {
            zero_elements(root(id).variable, variable.type);
        } else {
            whole.push_back(id);
        }
    }
    if (!whole.empty()) zero_by_first(whole);
    if (any) control_barrier(spv::MemorySemanticsMask::WorkgroupMemory);
}

void Lowering::zero_by_first(std::span<const VariableId> variables) {
    const Id index = builtin(Builtin::local_invocation_index);
    const Id is_first = builder_.add(spv::Op::OpIEqual, bool_type, {index, builder_.word(0)});
    builder_.guarded(is_first, no_type, [&] {
        for (const VariableId id : variables)
            builder_.statement(spv::Op::OpStore,
                               {root(id).variable, builder_.zero(program_.variable(id).type)});
        return no_id;
    });
}

// Each invocation zeroes every n-th element, n being the workgroup's size; for nested arrays, elements of the
// innermost.
void Lowering::zero_elements(Id variable, TypeId type) {
    std::vector<std::uint32_t> counts;
    std::uint32_t count = 1;
    for (; types_[type].kind == TypeKind::array; type = types_[type].element) {
        counts.push_back(types_[type].count);
        count *= types_[type].count;
    }
    const auto store = [&](Id index) {
        std::vector<Word> path(counts.size());
        for (std::size_t k = counts.size(); k-- > 0;) {
            const Id of = builder_.word(counts[k]);
            path[k] = k == 0 ? index : builder_.add(spv::Op::OpUMod, u32_type, {index, of});
            if (k > 0) index = builder_.add(spv::Op::OpUDiv, u32_type, {index, of});
        }
        const Id pointer = types_.pointer(spv::StorageClass::Workgroup, types_.value(type));
        const Id at = builder_.add(spv::Op::OpAccessChain, pointer, {variable}, path);
        builder_.statement(spv::Op::OpStore, {at, builder_.zero(type)});
        return no_id;
    };
    const Id first = builtin(Builtin::local_invocation_index);
    const auto step = static_cast<std::uint32_t>(program_.workgroup_size().count());
    if (count <= step) {
        const Id inside = builder_.add(spv::Op::OpULessThan, bool_type, {first, builder_.word(count)});
        builder_.guarded(inside, no_type, [&] { return store(first); });
    } else {
        count_up(first, step, count, [&](Id index) { store(index); });
    }
}

Id Lowering::count_up(Id first, std::uint32_t step, std::uint32_t end,
                      const std::function<void(Id)>& emit_body, spv::LoopControlMask control) {
    const Id before = builder_.label();
    const Id head = module_.id(), body = module_.id(), go_on = module_.id(), after = module_.id();
    const Id index = module_.id(), next = module_.id();
    builder_.branch(head);
    builder_.begin(head);
    builder_.statement(spv::Op::OpPhi, {types_.value(u32_type), index, first, before, next, go_on});
    const Id inside = builder_.add(spv::Op::OpULessThan, bool_type, {index, builder_.word(end)});
    builder_.statement(spv::Op::OpLoopMerge, {after, go_on, static_cast<Word>(control)});
    builder_.branch(inside, body, after);
    builder_.begin(body);
    emit_body(index);
    builder_.branch(go_on);
    builder_.begin(go_on);
    builder_.statement(spv::Op::OpIAdd, {types_.value(u32_type), next, index, builder_.word(step)});
    builder_.branch(head);
    builder_.begin(after);
    return index;
}

}  // namespace muster::vulkan
