#include <algorithm>
#include <unordered_map>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/wgsl/resolve/types.hpp>

namespace muster::wgsl {
namespace {

WgslType scalar_type(Kind kind) {
    WgslType type;
    type.kind = kind;
    type.name = info(kind).name;
    type.size = type.align = info(info(kind).scalar).bytes;
    type.is_abstract = kind == Kind::abstract_int || kind == Kind::abstract_float;
    type.host_shareable = kind != Kind::boolean && !type.is_abstract;
    return type;
}

void lay_out(WgslType& type) {
    std::uint64_t end = 0;
    type.words = 0;
    type.align = 1;
    for (WgslMember& member : type.members) {
        const std::uint64_t align = member.align != 0 ? member.align : member.type->align;
        member.offset = round_up(end, align);
        end = member.offset + (member.size != 0 ? member.size : member.type->size);
        type.align = std::max(type.align, align);
        type.words += member.type->words;
        type.depth = std::max(type.depth, member.type->depth + 1);
        type.constructible = type.constructible && member.type->constructible;
        type.host_shareable = type.host_shareable && member.type->host_shareable;
        type.has_runtime_array = type.has_runtime_array || member.type->has_runtime_array;
        type.is_abstract = type.is_abstract || member.type->is_abstract;
    }
    type.size = round_up(end, type.align);
}

std::string key_of(std::string_view what, TypeRef of, std::uint32_t n, std::uint32_t more = 0) {
    std::string key(what);
    key += std::to_string(reinterpret_cast<std::uintptr_t>(of));
    key += ' ';
    key += std::to_string(n);
    key += ' ';
    key += std::to_string(more);
    return key;
}

}  // namespace

Types::Types() {
    WgslType none;
    none.name = "nothing";
    none.words = 0;
    none.constructible = none.host_shareable = false;
    nothing = add("nothing", none);
#define MUSTER_SCALAR(kind, name, ...) kind = add(name, scalar_type(Kind::kind));
#include <muster/foundation/wgsl/resolve/scalars.def>
}

TypeRef Types::add(std::string key, WgslType type) {
    types_.push_back(std::move(type));
    by_key_.emplace(std::move(key), &types_.back());
    return &types_.back();
}

TypeRef Types::scalar(Kind which) const {
#define MUSTER_SCALAR(kind, ...) \
    if (which == Kind::kind) return kind;
#include <muster/foundation/wgsl/resolve/scalars.def>
    return nothing;
}

TypeRef Types::vector(TypeRef scalar, std::uint32_t width) {
    if (width == 1) return scalar;
    TypeRef& known = vectors_[static_cast<std::size_t>(scalar->kind)][width];
    if (known != nullptr) return known;
    WgslType type;
    type.kind = Kind::vector;
    type.element = scalar;
    type.count = width;
    type.name = "vec" + std::to_string(width) + "<" + scalar->name + ">";
    type.size = scalar->size * width;
    type.align = scalar->size * (width == 3 ? 4 : width);
    type.words = width;
    type.host_shareable = scalar->host_shareable;
    type.is_abstract = scalar->is_abstract;
    types_.push_back(std::move(type));
    known = &types_.back();
    return known;
}

TypeRef Types::matrix(TypeRef scalar, std::uint32_t columns, std::uint32_t rows) {
    const TypeRef column = vector(scalar, rows);
    std::string key = key_of("m", column, columns);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::matrix;
    type.element = column;
    type.count = columns;
    type.name = "mat" + std::to_string(columns) + "x" + std::to_string(rows) + "<" + scalar->name + ">";
    type.align = column->align;
    type.stride = round_up(column->size, column->align);
    type.size = type.stride * columns;
    type.words = column->words * columns;
    type.depth = column->depth + 1;
    type.host_shareable = column->host_shareable;
    type.is_abstract = column->is_abstract;
    ++counted_;
    return add(std::move(key), std::move(type));
}

TypeRef Types::array(TypeRef element, std::uint32_t count, bool override_sized) {
    std::string key = key_of("a", element, count, override_sized ? 1 : 0);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::array;
    type.element = element;
    type.count = count;
    type.override_sized = override_sized;
    type.name = "array<" + element->name + (count == 0 ? "" : ", " + std::to_string(count)) + ">";
    type.align = element->align;
    type.stride = round_up(element->size, element->align);
    type.size = type.stride * count;
    type.words = element->words * count;
    type.depth = element->depth + 1;
    type.constructible = element->constructible && count != 0 && !override_sized;
    type.host_shareable = element->host_shareable && !override_sized;
    type.is_abstract = element->is_abstract;
    type.has_runtime_array = count == 0;
    ++counted_;
    return add(std::move(key), std::move(type));
}

TypeRef Types::atomic(TypeRef scalar) {
    std::string key = key_of("t", scalar, 0);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::atomic;
    type.name = "atomic<" + scalar->name + ">";
    type.size = type.align = 4;
    type.element = scalar;
    type.constructible = false;
    ++counted_;
    return add(std::move(key), std::move(type));
}

TypeRef Types::buffer(std::uint32_t bytes, bool override_sized) {
    std::string key = key_of("b", nullptr, bytes, override_sized ? 1 : 0);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::buffer;
    type.count = bytes;
    type.override_sized = override_sized;
    type.name = bytes == 0 ? "buffer" : "buffer<" + std::to_string(bytes) + ">";
    type.size = bytes;
    type.constructible = false;
    type.has_runtime_array = bytes == 0;
    ++counted_;
    return add(std::move(key), std::move(type));
}

TypeRef Types::pointer(AddressSpace space, TypeRef to, Access access) {
    std::string key = key_of("p", to, static_cast<std::uint32_t>(space), static_cast<std::uint32_t>(access));
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::pointer;
    type.element = to;
    type.space = space;
    type.access = access;
    type.constructible = type.host_shareable = false;
    type.name = "ptr<" + std::string(name(space)) + ", " + to->name;
    if (space == AddressSpace::storage) type.name += ", " + std::string(muster::name(access));
    type.name += ">";
    return add(std::move(key), std::move(type));
}

TypeRef Types::structure(std::string name, std::vector<WgslMember> members) {
    WgslType type;
    type.kind = Kind::structure;
    type.name = std::move(name);
    type.members = std::move(members);
    lay_out(type);
    ++counted_;
    types_.push_back(std::move(type));
    return &types_.back();
}

TypeRef Types::hidden_structure(std::string_view name, std::vector<WgslMember> members) {
    std::string key = "s" + std::string(name);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    WgslType type;
    type.kind = Kind::structure;
    type.name = name;
    type.members = std::move(members);
    lay_out(type);
    type.host_shareable = false;
    return add(std::move(key), std::move(type));
}

TypeRef Types::concrete(TypeRef type) {
    if (!type->is_abstract) return type;
    if (type == abstract_int) return i32;
    if (type == abstract_float) return f32;
    if (type->is_vector()) return vector(concrete(type->element), type->count);
    if (type->is_matrix()) return matrix(concrete(type->scalar()), type->count, type->rows());
    if (type->kind == Kind::array) return array(concrete(type->element), type->count);
    // A structure: frexp's and modf's results.
    const std::string name = type->name.substr(0, type->name.rfind('_')) + "_f32";
    std::vector<WgslMember> members = type->members;
    for (WgslMember& member : members) member.type = concrete(member.type);
    return hidden_structure(name, std::move(members));
}

bool have_one_shape(TypeRef a, TypeRef b) {
    if (a->is_matrix() && b->is_matrix()) return a->count == b->count && a->rows() == b->rows();
    const auto shaped = [](TypeRef t) { return t->is_scalar() || t->is_vector(); };
    return shaped(a) && shaped(b) && a->width() == b->width();
}

std::uint32_t conversion_rank(TypeRef from, TypeRef to) {
    constexpr std::uint32_t never = ScalarKind::never;
    if (from == to) return 0;
    if (from->kind == Kind::abstract_float)
        return to->kind == Kind::f32 ? 1 : to->kind == Kind::f16 ? 2 : to->kind == Kind::f64 ? 3 : never;
    if (from->kind == Kind::abstract_int) return info(to->kind).rank;
    if (from->kind != to->kind || !from->is_abstract) return never;
    if (from->kind == Kind::vector || from->kind == Kind::matrix || from->kind == Kind::array)
        return from->count == to->count ? conversion_rank(from->element, to->element) : never;
    if (from->kind == Kind::structure) {
        const std::string name = from->name.substr(0, from->name.rfind('_'));
        return name + "_f32" == to->name ? 1 : name + "_f16" == to->name ? 2 : never;
    }
    return never;
}

bool passes_as(TypeRef pointer, TypeRef parameter) {
    if (pointer == parameter) return true;
    if (pointer->kind != Kind::pointer || parameter->kind != Kind::pointer) return false;
    if (pointer->space != parameter->space || pointer->access != parameter->access) return false;
    const TypeRef from = pointer->element, to = parameter->element;
    if (from->kind != Kind::buffer || to->kind != Kind::buffer) return false;
    return to->count == 0 || (to->count < from->count && !to->override_sized && !from->override_sized);
}

bool holds_atomic(TypeRef type) {
    if (type->kind == Kind::atomic) return true;
    if (type->kind == Kind::array) return holds_atomic(type->element);
    return std::ranges::any_of(type->members, [](const WgslMember& m) { return holds_atomic(m.type); });
}

bool holds_narrow(TypeRef type) {
    if (type->kind == Kind::array) return holds_narrow(type->element);
    if (type->is_scalar() || type->is_vector()) return type->is_narrow();
    return std::ranges::any_of(type->members, [](const WgslMember& m) { return holds_narrow(m.type); });
}

TypeRef runtime_array(TypeRef type) {
    if (!type->has_runtime_array || type->kind == Kind::buffer) return nullptr;
    return type->kind == Kind::structure ? type->members.back().type : type;
}

std::uint64_t array_offset(TypeRef type) {
    return type->kind == Kind::structure && type->has_runtime_array ? type->members.back().offset : 0;
}

std::uint64_t least_bytes(TypeRef type) {
    const TypeRef array = runtime_array(type);
    return array != nullptr ? array_offset(type) + array->stride : type->size;
}

namespace {

/// Types already made, so that a type used by many members is made once.
using Made = std::unordered_map<TypeRef, TypeId>;

TypeId ir_type(TypeTable& table, TypeRef type, Made& made);

TypeId ir_structure(TypeTable& table, TypeRef type, Made& made) {
    std::vector<MemberDeclaration> members;
    members.reserve(type->members.size());
    for (const WgslMember& member : type->members)
        members.push_back({member.name, ir_type(table, member.type, made), member.align, member.size});
    // Result types of built-in functions begin with "__", which no declared name
    // does; the IR's name drops it.
    return table.structure(type->name.substr(type->name.starts_with("__") ? 2 : 0), members);
}

TypeId ir_type(TypeTable& table, TypeRef type, Made& made) {
    if (const auto found = made.find(type); found != made.end()) return found->second;
    if (type->is_scalar()) return type->is_abstract ? no_type : type_of(type->ir_scalar());
    if (type->is_vector()) return type_of(type->ir_scalar(), type->count);
    if (type->kind == Kind::atomic) return table.atomic(type->element->ir_scalar());
    if (type->is_matrix() || type->kind == Kind::array)
        return table.array(ir_type(table, type->element, made), type->count);
    if (type->kind == Kind::structure) return made[type] = ir_structure(table, type, made);
    if (type->kind == Kind::buffer)
        return table.array(u32_type, type->count / 4 + (type->count % 4 != 0 ? 1 : 0));
    return no_type;
}

}  // namespace

TypeId ir_type(TypeTable& table, TypeRef type) {
    Made made;
    return ir_type(table, type, made);
}

}  // namespace muster::wgsl
