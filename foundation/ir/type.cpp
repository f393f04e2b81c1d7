#include <algorithm>
#include <tuple>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster {
namespace {

/// The value at which sizes that don't fit 64 bits saturate; every limit refuses it.
constexpr std::uint64_t too_many = std::uint64_t{1} << 62;
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > too_many / b ? too_many : a * b;
}
constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) { return std::min(a + b, too_many); }

Type scalar_or_vector(Scalar scalar, std::uint32_t width) {
    Type type;
    type.kind = width == 1 ? TypeKind::scalar : TypeKind::vector;
    type.scalar = scalar;
    type.width = width;
    type.element = type_of(scalar);
    type.size = std::uint64_t{width} * info(scalar).bytes;
    type.align = (width == 3 ? 4 : width) * info(scalar).bytes;
    return type;
}

// Each names all members of its structure, so that adding one doesn't compile until it is compared,
// or left out for a reason.
auto parts_of(const Member& member) {
    const auto& [name, type, offset] = member;
    return std::tie(name, type, offset);
}
auto parts_of(const Type& type) {
    const auto& [kind, scalar, width, element, count, size, align, stride, words, scalars, contains_atomic,
                 contains_bool, contains_f16, least_bytes, contains_runtime_array, name, members] = type;
    (void)words, (void)scalars, (void)contains_atomic, (void)contains_bool;  // summed up of the parts
    (void)contains_f16, (void)least_bytes, (void)contains_runtime_array, (void)members;
    return std::tie(kind, scalar, width, element, count, size, align, stride, name);
}

bool same(const Type& a, const Type& b) {
    return parts_of(a) == parts_of(b) &&
           std::ranges::equal(a.members, b.members,
                              [](const Member& x, const Member& y) { return parts_of(x) == parts_of(y); });
}

}  // namespace

TypeTable::TypeTable() {
    types_.reserve(fixed_type_count + 8);
    types_.emplace_back();
    for (std::uint32_t width = 1; width <= 4; ++width) {
        for (const ScalarInfo& row : scalars) {
            types_.push_back(scalar_or_vector(row.scalar, width));
            sum_up(types_.back());
        }
    }
}

// Sums up the parts of a type once, so that no later query walks a wide structure again.
void TypeTable::sum_up(Type& type) const {
    const auto include = [&](TypeId part, std::uint64_t times) {
        const Type& of = types_[part.index];
        type.words = saturated_sum(type.words, saturated_product(of.words, times));
        type.scalars = saturated_sum(type.scalars, saturated_product(of.scalars, times));
        type.contains_atomic |= of.contains_atomic;
        type.contains_bool |= of.contains_bool;
        type.contains_f16 |= of.contains_f16;
        type.least_bytes = std::min(type.least_bytes, of.least_bytes);
        type.contains_runtime_array |= of.contains_runtime_array;
    };
    type.words = type.scalars = 0;
    switch (type.kind) {
        case TypeKind::none: break;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic:
            type.words = type.width * words_of(type.scalar);
            type.scalars = type.width;
            type.contains_atomic = type.kind == TypeKind::atomic;
            type.contains_bool = type.scalar == Scalar::boolean;
            type.contains_f16 = type.scalar == Scalar::f16;
            type.least_bytes = std::min(type.least_bytes, info(type.scalar).bytes);
            break;
        case TypeKind::array:
            include(type.element, type.count);
            type.contains_runtime_array |= type.count == 0;
            break;
        case TypeKind::structure:
            for (const Member& member : type.members) include(member.type, 1);
            break;
    }
}

TypeId TypeTable::intern(Type type) {
    sum_up(type);
    for (std::uint32_t i = fixed_type_count; i < types_.size(); ++i) {
        if (same(types_[i], type)) return TypeId{i};
    }
    types_.push_back(std::move(type));
    return TypeId{static_cast<std::uint32_t>(types_.size() - 1)};
}

TypeId TypeTable::atomic(Scalar scalar) {
    Type type = scalar_or_vector(scalar, 1);
    type.kind = TypeKind::atomic;
    return intern(std::move(type));
}

TypeId TypeTable::array(TypeId element, std::uint32_t count) {
    Type type;
    type.kind = TypeKind::array;
    type.element = element;
    type.count = count;
    type.align = types_[element.index].align;
    type.stride = round_up(types_[element.index].size, type.align);
    type.size = saturated_product(type.stride, count);
    return intern(std::move(type));
}

TypeId TypeTable::runtime_array(TypeId element) { return array(element, 0); }

TypeId TypeTable::structure(std::string name, std::span<const MemberDeclaration> members) {
    Type type;
    type.kind = TypeKind::structure;
    type.name = std::move(name);
    std::uint64_t end = 0;
    for (const MemberDeclaration& member : members) {
        const Type& of = types_[member.type.index];
        const std::uint32_t align = member.align != 0 ? member.align : of.align;
        const std::uint64_t offset = round_up(end, align);
        type.members.push_back({member.name, member.type, offset});
        type.align = std::max(type.align, align);
        end = saturated_sum(offset, member.size != 0 ? member.size : of.size);
    }
    type.size = round_up(end, type.align);
    return intern(std::move(type));
}

// Adds a type of `from`, which may be this table, with `change` made to each array,
// structure and atomic in it.
template <class Change>
TypeId TypeTable::intern_changed(const TypeTable& from, TypeId id, const Change& change) {
    std::vector<TypeId> made(from.count(), no_type);
    const auto import = [&](const auto& self, TypeId old) -> TypeId {
        if (old.index < fixed_type_count) return old;
        if (made[old.index] != no_type) return made[old.index];
        Type type = from[old];
        if (type.kind == TypeKind::array) type.element = self(self, type.element);
        for (Member& member : type.members) member.type = self(self, member.type);
        change(type);
        return made[old.index] = intern(std::move(type));
    };
    return import(import, id);
}

TypeId TypeTable::import(const TypeTable& from, TypeId id) {
    return intern_changed(from, id, [](Type&) {});
}

TypeId TypeTable::with_float_atomics_as_words(TypeId id) {
    return intern_changed(*this, id, [](Type& type) {
        if (type.kind != TypeKind::atomic || type.scalar != Scalar::f32) return;
        type.scalar = Scalar::u32;
        type.element = u32_type;
    });
}

bool TypeTable::has_float_atomics() const {
    return std::ranges::any_of(
        types_, [](const Type& type) { return type.kind == TypeKind::atomic && type.scalar == Scalar::f32; });
}

bool TypeTable::has_runtime_array(TypeId id) const {
    const Type& type = types_[id.index];
    if (type.kind == TypeKind::structure) {
        return !type.members.empty() && has_runtime_array(type.members.back().type);
    }
    return type.is_runtime_array();
}

std::string TypeTable::name(TypeId id) const {
    const Type& type = types_[id.index];
    const std::string scalar{info(type.scalar).name};
    switch (type.kind) {
        case TypeKind::none: return "nothing";
        case TypeKind::scalar: return scalar;
        case TypeKind::vector: return "vec" + std::to_string(type.width) + "<" + scalar + ">";
        case TypeKind::atomic: return "atomic<" + scalar + ">";
        case TypeKind::array:
            return "array<" + name(type.element) +
                   (type.count == 0 ? "" : ", " + std::to_string(type.count)) + ">";
        case TypeKind::structure: return type.name;
    }
    return "nothing";
}

}  // namespace muster
