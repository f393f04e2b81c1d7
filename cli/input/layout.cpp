#include <cstring>

#include <fmt/format.h>

#include <muster/cli/input/layout.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

bool ends_in_runtime_array(const TypeTable& types, TypeId type) {
    const Type& info = types[type];
    return info.kind == TypeKind::structure && !info.members.empty() &&
           types[info.members.back().type].is_runtime_array();
}

std::uint32_t vector_width(const TypeTable& types, TypeId element) {
    return types[element].kind == TypeKind::vector ? types[element].width : 1;
}

void visit_runs(const TypeTable& types, TypeId id, std::uint64_t offset, std::uint64_t elements,
                const VisitRun& visit) {
    const Type& type = types[id];
    switch (type.kind) {
        case TypeKind::none: return;
        case TypeKind::scalar:
        case TypeKind::atomic:
        case TypeKind::vector: visit(offset, type.width, type.scalar); return;
        case TypeKind::array: {
            const Type& element = types[type.element];
            const std::uint64_t count = type.count != 0 ? type.count : elements;
            const bool is_dense = element.width != 0 && element.size == type.stride;
            if (is_dense) return visit(offset, count * element.width, element.scalar);
            for (std::uint64_t i = 0; i < count; ++i) {
                visit_runs(types, type.element, offset + i * type.stride, elements, visit);
            }
            return;
        }
        case TypeKind::structure:
            for (const Member& member : type.members) {
                visit_runs(types, member.type, offset + member.offset, elements, visit);
            }
            return;
    }
}

}  // namespace

TypeId repeated(const TypeTable& types, TypeId type) {
    if (types[type].kind == TypeKind::array) return types[type].element;
    if (ends_in_runtime_array(types, type)) return types[types[type].members.back().type].element;
    return type;
}

std::optional<Scalar> only_scalar(const TypeTable& types, TypeId type) {
    std::optional<Scalar> only;
    bool is_mixed = false;
    visit_runs(types, type, 0, 1, [&](std::uint64_t, std::uint64_t, Scalar scalar) {
        is_mixed = is_mixed || (only && *only != scalar);
        only = scalar;
    });
    return is_mixed ? std::nullopt : only;
}

std::uint64_t element_count(const TypeTable& types, TypeId id, std::uint64_t bytes) {
    const Type& type = types[id];
    if (type.kind == TypeKind::array) return type.count != 0 ? type.count : bytes / type.stride;
    if (!ends_in_runtime_array(types, id)) return 1;
    const Member& tail = type.members.back();
    return bytes < tail.offset ? 0 : (bytes - tail.offset) / types[tail.type].stride;
}

Result<std::uint64_t> bytes_for(const TypeTable& types, TypeId id, std::uint64_t elements) {
    const Type& type = types[id];
    std::uint64_t bytes = type.size;
    if (type.is_runtime_array() || ends_in_runtime_array(types, id)) {
        const Type& array = type.is_runtime_array() ? type : types[type.members.back().type];
        const std::uint64_t before = type.is_runtime_array() ? 0 : type.members.back().offset;
        if (__builtin_mul_overflow(elements, array.stride, &bytes) ||
            __builtin_add_overflow(bytes, before, &bytes)) {
            bytes = UINT64_MAX;
        }
    }
    if (const std::uint64_t memory = physical_memory(); bytes > memory) {
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("{} elements of {} need more bytes than the {} of memory that this machine has.",
                        elements, types.name(repeated(types, id)), memory));
    }
    return bytes;
}

Result<std::uint64_t> elements_for(const TypeTable& types, TypeId id, std::uint64_t numbers) {
    const Type& type = types[id];
    if (!type.is_runtime_array() && !ends_in_runtime_array(types, id)) {
        if (const std::uint64_t fitting = types.scalars_in(id); numbers != fitting) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} takes {} number{}, and {} {} given.", types.name(id), fitting,
                                    fitting == 1 ? "" : "s", numbers, numbers == 1 ? "is" : "are"));
        }
        return 0;
    }
    const std::uint64_t head = head_words(types, id);
    const std::uint64_t each = types.scalars_in(repeated(types, id));
    if (numbers < head || (numbers - head) % each != 0) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} takes {} numbers and a multiple of {}, and {} {} given.", types.name(id),
                                head, each, numbers, numbers == 1 ? "is" : "are"));
    }
    return (numbers - head) / each;
}

std::uint64_t head_words(const TypeTable& types, TypeId id) {
    if (!ends_in_runtime_array(types, id)) return 0;
    std::uint64_t words = 0;
    const std::span members(types[id].members);
    for (const Member& member : members.first(members.size() - 1)) words += types.scalars_in(member.type);
    return words;
}

void for_each_run(const TypeTable& types, TypeId type, std::uint64_t elements, const VisitRun& visit) {
    visit_runs(types, type, 0, elements, visit);
}

void spread(const TypeTable& types, TypeId type, std::uint64_t elements, std::span<const std::byte> packed,
            std::span<std::byte> to) {
    std::uint64_t from = 0;
    visit_runs(types, type, 0, elements, [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
        const std::uint64_t bytes = numbers * info(scalar).bytes;
        std::memcpy(to.data() + offset, packed.data() + from, bytes);
        from += bytes;
    });
}

std::vector<std::byte> pack(const TypeTable& types, TypeId type, std::span<const std::byte> from) {
    std::vector<std::byte> packed;
    packed.reserve(from.size());
    visit_runs(types, type, 0, element_count(types, type, from.size()),
               [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
                   const auto run = from.subspan(offset, numbers * info(scalar).bytes);
                   packed.insert(packed.end(), run.begin(), run.end());
               });
    return packed;
}

std::vector<std::uint64_t> plain_shape(const TypeTable& types, TypeId type, std::uint64_t elements) {
    const TypeId element = repeated(types, type);
    const bool has_structures =
        types[type].kind == TypeKind::structure || types[element].kind == TypeKind::structure;
    const std::uint64_t each = has_structures ? 1 : types.scalars_in(element);
    std::vector<std::uint64_t> shape;
    if (types[type].kind == TypeKind::array || ends_in_runtime_array(types, type)) shape.push_back(elements);
    if (each > 1) shape.push_back(each);
    return shape;
}

Extent extent_of(const TypeTable& types, TypeId type, std::span<const std::uint64_t> shape) {
    const std::uint32_t width = vector_width(types, repeated(types, type));
    if (width > 1 && !shape.empty()) {
        if (shape.back() != width) return {shape.back() / width, 1, 1};
        shape = shape.first(shape.size() - 1);
    }
    Extent extent;
    if (!shape.empty()) extent.x = shape.back();
    if (shape.size() > 1) extent.y = shape[shape.size() - 2];
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) extent.z *= shape[axis];
    return extent;
}

}  // namespace muster::cli
