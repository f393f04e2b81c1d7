// Constants that compilers are wrong about, made of what they don't know. As Mesa has it (22.3; nir and gallivm):
//
//   x + 0, x - 0   x, also for -0                     0 - x     -x, also for 0
//   x * 0, 0 / x   0, also for NaN, infinity and -1   x / 0     anything
//   c ? -1 : 0     -(c ? 1 : 0), so -0 for 0, also where an if chooses through a variable
//
// Zeros reach arithmetic through variables, choices and conversions, too, once those are propagated.
#include <algorithm>
#include <bit>

#include <muster/backend-vulkan/builder.hpp>

namespace muster::vulkan {
namespace {

constexpr auto minus_one = std::bit_cast<std::uint32_t>(-1.0f);

bool is_zero(std::uint32_t bits) { return (bits & 0x7fffffffu) == 0; }

// Of arrays and structures: the larger ones stay in memory, where nobody propagates them.
constexpr std::uint64_t most_words = 64;

}  // namespace

Id Builder::known_runtime_zero() {
    if (runtime_zero_ == no_id) runtime_zero_ = runtime_zero();
    return runtime_zero_;
}

Id Builder::never() {
    if (never_ != no_id) return never_;
    const Id zero = known_runtime_zero();
    never_ = in_prologue([&] { return add(spv::Op::OpINotEqual, bool_type, {zero, word(0)}); });
    return never_;
}

Id Builder::unknown(TypeId type, Id value) {
    const Id zero = splat(type_of(Scalar::u32, types[type].width), known_runtime_zero());
    return add(spv::Op::OpBitwiseOr, type, {value, zero});
}

Id Builder::hidden_scalar(std::uint32_t bits) {
    const auto [at, is_new] = hidden_.try_emplace(bits, no_id);
    if (!is_new) return at->second;
    const Id zero = known_runtime_zero();
    at->second = in_prologue([&] {
        const Id or_zero = add(spv::Op::OpBitwiseOr, u32_type, {word(bits), zero});
        return add(spv::Op::OpBitcast, f32_type, {or_zero});
    });
    return at->second;
}

Id Builder::hidden(Id value, HiddenFrom from) {
    const auto known = constants_.find(value);
    if (!exact || known == constants_.end()) return value;
    const auto [type, words] = known->second;
    const auto hides = [&](std::uint32_t bits) {
        return is_zero(bits) || (from == HiddenFrom::choices && bits == minus_one);
    };
    if (types[type].scalar != Scalar::f32 || std::ranges::none_of(words, hides)) return value;
    std::vector<Word> parts;
    for (const std::uint32_t bits : words)
        parts.push_back(hides(bits) ? hidden_scalar(bits) : all(f32_type, bits));
    return parts.size() == 1 ? parts[0] : add(spv::Op::OpCompositeConstruct, types.value(type), {}, parts);
}

Id Builder::hidden_zero(TypeId id) {
    if (!exact || types.table().scalar_words(id) > most_words || !contains_number(id)) return zero(id);
    if (!types.is_aggregate(id)) return hidden(zero(id), HiddenFrom::choices);
    const Type& type = types[id];
    std::vector<Word> parts;
    if (type.kind == TypeKind::array) parts.assign(type.count, hidden_zero(type.element));
    for (const Member& member : type.members) parts.push_back(hidden_zero(member.type));
    return add(spv::Op::OpCompositeConstruct, types.value(id), {}, parts);
}

bool Builder::contains_number(TypeId id) const {
    const Type& type = types[id];
    if (type.kind == TypeKind::array) return contains_number(type.element);
    if (type.kind != TypeKind::structure) return type.scalar == Scalar::f32;
    return std::ranges::any_of(type.members, [&](const Member& one) { return contains_number(one.type); });
}

}  // namespace muster::vulkan
