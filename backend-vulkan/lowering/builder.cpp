#include <array>
#include <utility>

#include <muster/backend-vulkan/lowering/builder.hpp>

namespace muster::vulkan {

Builder::Builder(Module& of, Types& with, DebugLines& from, bool is_exact)
    : module(of), types(with), lines(from), exact(is_exact) {}

void Builder::statement(spv::Op op, List operands, std::span<const Word> more) {
    if (code == &body) lines.write(body, label_);
    code->add(op, operands, more);
}

Id Builder::add(spv::Op op, Id type, List operands, std::span<const Word> more) {
    const Id made = module.id();
    std::vector<Word> all(operands);
    all.insert(all.end(), more.begin(), more.end());
    statement(op, {type, made}, all);
    return made;
}

Id Builder::number(spv::Op op, TypeId type, List operands) {
    if (!exact) return add(op, type, operands);
    const Id made = add(op, types.value(type), {}, hidden_operands(operands));
    module.decorate(made, spv::Decoration::NoContraction);
    return made;
}

Id Builder::comparison(spv::Op op, TypeId type, Id a, Id b) {
    const Id made = add(op, type, {a, b});
    if (exact) module.decorate(made, spv::Decoration::NoContraction);
    return made;
}

Id Builder::glsl(GLSLstd450 function, TypeId type, List operands) {
    return add(spv::Op::OpExtInst, types.value(type), {module.glsl(), static_cast<Word>(function)},
               std::span(operands));
}

Id Builder::glsl_number(GLSLstd450 function, TypeId type, List operands) {
    if (!exact) return glsl(function, type, operands);
    const Id made = add(spv::Op::OpExtInst, types.value(type), {module.glsl(), static_cast<Word>(function)},
                        hidden_operands(operands));
    module.decorate(made, spv::Decoration::NoContraction);
    return made;
}

// Constants.

Id Builder::remember(Id constant, TypeId type, std::vector<std::uint64_t> components) {
    constants_.try_emplace(constant, Constant{type, std::move(components)});
    return constant;
}

const std::vector<std::uint64_t>* Builder::constant_components(Id value) const {
    const auto known = constants_.find(value);
    return known == constants_.end() ? nullptr : &known->second.components;
}

Id Builder::scalar_constant(Scalar scalar, std::uint64_t bits) {
    const std::array words{static_cast<Word>(bits), static_cast<Word>(bits >> 32)};
    const TypeId scalar_type = type_of(scalar);
    const Id type = types.value(scalar_type);
    const Id made =
        scalar == Scalar::boolean
            ? module.constant(bits != 0 ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, type, {})
            : module.constant(spv::Op::OpConstant, type, std::span(words).first(words_of(scalar)));
    return remember(made, scalar_type, {bits});
}

std::vector<TypeId> Builder::part_types(TypeId id) const {
    const Type& type = types[id];
    if (type.kind != TypeKind::structure)
        return std::vector<TypeId>(type.kind == TypeKind::array ? type.count : type.width, type.element);
    std::vector<TypeId> parts;
    for (const Member& member : type.members) parts.push_back(member.type);
    return parts;
}

Id Builder::constant_from(TypeId id, std::span<const std::uint32_t>& words) {
    const Type& type = types[id];
    if (type.kind == TypeKind::scalar) {
        const std::uint64_t high = is_wide(type.scalar) ? words[1] : 0;
        const Id made = scalar_constant(type.scalar, words[0] | high << 32);
        words = words.subspan(words_of(type.scalar));
        return made;
    }
    std::vector<Word> parts;
    for (const TypeId part : part_types(id)) parts.push_back(constant_from(part, words));
    const Id made = module.constant(spv::Op::OpConstantComposite, types.value(id), parts);
    if (type.kind != TypeKind::vector) return made;
    std::vector<std::uint64_t> components;
    for (const Id part : parts) components.push_back(constants_.at(part).components[0]);
    return remember(made, id, std::move(components));
}

Id Builder::constant(TypeId type, std::span<const std::uint32_t> words) {
    if (!words.empty()) return constant_from(type, words);
    if (types.is_aggregate(type)) return module.constant(spv::Op::OpConstantNull, types.value(type), {});
    return all(type, 0);
}

Id Builder::all(TypeId type, std::uint64_t bits) {
    const Type& of = types[type];
    const Id component = scalar_constant(of.scalar, bits);
    if (of.kind != TypeKind::vector) return component;
    const std::vector<Word> parts(of.width, component);
    return remember(module.constant(spv::Op::OpConstantComposite, types.value(type), parts), type,
                    std::vector(of.width, bits));
}

// Values.

Id Builder::splat(TypeId type, Id scalar) {
    const Word width = types[type].width;
    if (width == 1) return scalar;
    const std::array<Word, 4> parts{scalar, scalar, scalar, scalar};
    return add(spv::Op::OpCompositeConstruct, types.value(type), {}, std::span(parts).first(width));
}

Id Builder::select(TypeId type, Id condition, Id if_true, Id if_false) {
    return add(spv::Op::OpSelect, type, {condition, if_true, if_false});
}

// Before SPIR-V 1.4, OpSelect takes a single bool for scalars only.
Id Builder::choose(TypeId type, Id condition, Id if_true, Id if_false) {
    if (!types.is_aggregate(type))
        return select(type, splat(type_of(Scalar::boolean, types[type].width), condition), if_true, if_false);
    const Id before = label_, inside = module.id(), after = module.id();
    open_if(condition, inside, after);
    branch(after);
    begin(after);
    return add(spv::Op::OpPhi, type, {if_true, inside, if_false, before});
}

Id Builder::both(Id a, Id b) {
    if (a == no_id) return b;
    if (b == no_id) return a;
    return add(spv::Op::OpLogicalAnd, bool_type, {a, b});
}

Id Builder::local_variable(Id type, Id initial) {
    const Id pointer = types.pointer(spv::StorageClass::Function, type);
    const Id made = module.id();
    const std::array start{initial};
    variables.add(spv::Op::OpVariable, {pointer, made, static_cast<Word>(spv::StorageClass::Function)},
                  std::span(start).first(initial == no_id ? 0 : 1));
    return made;
}

// Blocks.

void Builder::start(Id label) {
    label_ = label;
    open_ = true;
}

void Builder::begin(Id label) {
    code->add(spv::Op::OpLabel, {label});
    label_ = label;
    open_ = true;
}

void Builder::branch(Id to) {
    statement(spv::Op::OpBranch, {to});
    open_ = false;
}

void Builder::branch(Id condition, Id if_true, Id if_false) {
    statement(spv::Op::OpBranchConditional, {condition, if_true, if_false});
    open_ = false;
}

void Builder::unreachable() {
    statement(spv::Op::OpUnreachable, {});
    open_ = false;
}

void Builder::open_if(Id condition, Id inside, Id after) {
    statement(spv::Op::OpSelectionMerge, {after, static_cast<Word>(spv::SelectionControlMask::MaskNone)});
    branch(condition, inside, after);
    begin(inside);
}

}  // namespace muster::vulkan
