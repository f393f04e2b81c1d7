// Constants that compilers mishandle, made from values they don't know. Mesa (22.3; nir
// and gallivm) simplifies:
//
//   x + 0, x - 0   x, also for -0                     0 - x     -x, also for 0
//   x * 0, 0 / x   0, also for NaN, infinity and -1   x / 0     anything
//   c ? -1 : 0     -(c ? 1 : 0), so -0 for 0, also if the choice is an if and a variable
//
// Other numbers become zeros when a compiler folds what it knows: 2 - 2, trunc(0.5), iterations of a
// loop that it unrolls, an element out of bounds. So arithmetic hides the zeros among its operands, and
// every number is hidden where it could reach arithmetic unnoticed: in a variable, a choice, a
// composite, a conversion.
//
// A branch teaches a compiler what it compared, so nothing hidden here is ever compared; never()
// has its own unknown value.
#include <algorithm>

#include <muster/backend-vulkan/lowering/builder.hpp>

namespace muster::vulkan {
namespace {

bool is_zero(Scalar scalar, std::uint64_t bits) { return bits << (is_wide(scalar) ? 1 : 33) == 0; }

bool is_number(Scalar scalar) { return scalar == Scalar::f32 || scalar == Scalar::f64; }

}  // namespace

Id Builder::known_runtime_zero() {
    if (runtime_zero_ == no_id) runtime_zero_ = runtime_zero(Unknown::of_constants);
    return runtime_zero_;
}

Id Builder::never() {
    if (never_ != no_id) return never_;
    const Id zero = runtime_zero(Unknown::of_branches);
    never_ = in_prologue([&] { return add(spv::Op::OpINotEqual, bool_type, {zero, word(0)}); });
    return never_;
}

Id Builder::unknown(TypeId type, Id value) {
    const std::uint32_t width = types[type].width;
    Id zero = splat(type_of(Scalar::u32, width), known_runtime_zero());
    if (is_wide(types[type].scalar)) zero = add(spv::Op::OpUConvert, type_of(Scalar::u64, width), {zero});
    return add(spv::Op::OpBitwiseOr, type, {value, zero});
}

Id Builder::hidden_scalar(Scalar scalar, std::uint64_t bits) {
    const auto [at, is_new] = hidden_scalars_.try_emplace({scalar, bits}, no_id);
    if (!is_new) return at->second;
    (void)known_runtime_zero();
    const TypeId bits_type = is_wide(scalar) ? u64_type : u32_type;
    at->second = in_prologue(
        [&] { return add(spv::Op::OpBitcast, type_of(scalar), {unknown(bits_type, all(bits_type, bits))}); });
    return at->second;
}

Id Builder::hidden(Id value, Hide what) {
    const auto known = constants_.find(value);
    if (!exact || known == constants_.end()) return value;
    const auto [type, components] = known->second;
    const Scalar scalar = types[type].scalar;
    const auto hides = [&](std::uint64_t bits) { return what == Hide::numbers || is_zero(scalar, bits); };
    if (!is_number(scalar) || std::ranges::none_of(components, hides)) return value;
    if (components.size() == 1) return hidden_scalar(scalar, components[0]);
    const auto [at, is_new] = hidden_vectors_.try_emplace({value, what}, no_id);
    if (!is_new) return at->second;
    std::vector<Word> parts;
    for (const std::uint64_t bits : components)
        parts.push_back(hides(bits) ? hidden_scalar(scalar, bits) : all(type_of(scalar), bits));
    return at->second = composed_before(type, parts);
}

std::vector<Word> Builder::hidden_operands(List operands) {
    const bool all_known =
        std::ranges::all_of(operands, [&](Id one) { return constant_components(one) != nullptr; });
    std::vector<Word> hid;
    for (const Id operand : operands) hid.push_back(hidden(operand, all_known ? Hide::numbers : Hide::zeros));
    return hid;
}

Id Builder::hidden_constant(TypeId type, std::span<const std::uint32_t> words) {
    if (!exact || !contains_number(type)) return constant(type, words);
    return words.empty() ? hidden_zero(type) : hidden_from(type, words);
}

Id Builder::hidden_from(TypeId id, std::span<const std::uint32_t>& words) {
    if (!contains_number(id)) return constant_from(id, words);
    if (!types.is_aggregate(id)) return hidden(constant_from(id, words), Hide::numbers);
    std::vector<Word> parts;
    for (const TypeId part : part_types(id)) parts.push_back(hidden_from(part, words));
    return composed_before(id, parts);
}

Id Builder::hidden_zero(TypeId id) {
    if (!exact || !contains_number(id)) return zero(id);
    if (!types.is_aggregate(id)) return hidden(zero(id), Hide::numbers);
    if (const auto known = hidden_zeros_.find(id.index); known != hidden_zeros_.end()) return known->second;
    std::vector<Word> parts;
    for (const TypeId part : part_types(id)) parts.push_back(hidden_zero(part));
    return hidden_zeros_[id.index] = composed_before(id, parts);
}

Id Builder::composed_before(TypeId type, std::span<const Word> parts) {
    return in_prologue([&] { return add(spv::Op::OpCompositeConstruct, types.value(type), {}, parts); });
}

bool Builder::contains_number(TypeId id) const {
    const Type& type = types[id];
    if (type.kind == TypeKind::array) return contains_number(type.element);
    if (type.kind != TypeKind::structure) return is_number(type.scalar);
    return std::ranges::any_of(type.members, [&](const Member& one) { return contains_number(one.type); });
}

}  // namespace muster::vulkan
