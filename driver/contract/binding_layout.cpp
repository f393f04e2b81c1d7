#include <muster/driver/contract/binding_layout.hpp>

namespace muster {

std::uint64_t min_binding_bytes(const TypeTable& types, TypeId type) {
    const Type& t = types[type];
    if (t.is_runtime_array()) return t.stride;
    if (t.kind == TypeKind::structure && types.has_runtime_array(type)) {
        const Member& last = t.members.back();
        const std::uint64_t end = last.offset + std::uint64_t{types[last.type].stride};
        return (end + t.align - 1) / t.align * t.align;
    }
    return t.size;
}

std::optional<Scalar> sole_scalar(const TypeTable& types, TypeId type) {
    const Type& t = types[type];
    switch (t.kind) {
        case TypeKind::none: return std::nullopt;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic: return t.scalar;
        case TypeKind::array: return sole_scalar(types, t.element);
        case TypeKind::structure: break;
    }
    std::optional<Scalar> all;
    for (const Member& member : t.members) {
        const std::optional<Scalar> one = sole_scalar(types, member.type);
        if (!one || (all && *all != *one)) return std::nullopt;
        all = one;
    }
    return all;
}

std::vector<BindingLayout> binding_layouts(const Program& program) {
    std::vector<BindingLayout> layouts;
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        layouts.push_back({variable.name, variable.group, variable.binding, variable.space, variable.access,
                           program.types().name(variable.type),
                           min_binding_bytes(program.types(), variable.type)});
    }
    return layouts;
}

Artifact make_artifact(const Program& program, const CompileOptions& options) {
    Artifact artifact;
    artifact.entry = program.entry();
    artifact.workgroup_size = program.workgroup_size();
    artifact.bindings = binding_layouts(program);
    artifact.files.assign(program.files().begin(), program.files().end());
    artifact.fingerprint = program.fingerprint();
    artifact.options = options;
    return artifact;
}

}  // namespace muster
