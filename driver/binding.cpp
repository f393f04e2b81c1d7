#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/binding.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

std::string label(const Variable& variable) {
    return variable.group == 0 ? fmt::format("Binding {} (\"{}\")", variable.binding, variable.name)
                               : fmt::format("Binding {} of group {} (\"{}\")", variable.binding,
                                             variable.group, variable.name);
}

std::string shown(const std::variant<std::string, GroupBinding>& where) {
    if (const auto* name = std::get_if<std::string>(&where)) return fmt::format("\"{}\"", *name);
    const auto& at = std::get<GroupBinding>(where);
    return fmt::format("at group {}, binding {}", at.group, at.binding);
}

std::unexpected<Error> no_such_binding(const Program& program, const Argument& argument) {
    std::vector<std::string_view> there;
    for (const VariableId id : program.bindings()) there.push_back(program.variable(id).name);
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has no binding {}.", program.entry(), shown(argument.where)),
                there.empty() ? "bind nothing: it has no bindings at all"
                              : fmt::format("bind one of: {}", fmt::join(there, ", ")));
}

/// Position in Program::bindings().
Result<std::size_t> place_of(const Program& program, const Argument& argument) {
    const auto bindings = program.bindings();
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const Variable& variable = program.variable(bindings[i]);
        const auto* name = std::get_if<std::string>(&argument.where);
        if (name ? *name == variable.name
                 : std::get<GroupBinding>(argument.where) == GroupBinding{variable.group, variable.binding})
            return i;
    }
    return no_such_binding(program, argument);
}

Result<void> check_scalar(const Program& program, const Variable& variable, std::optional<Scalar> given) {
    const std::optional<Scalar> wanted = sole_scalar(program.types(), variable.type);
    if (!given || !wanted || *given == *wanted) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is {}; the argument is made of {}.", label(variable),
                            program.types().name(variable.type), info(*given).name),
                fmt::format("give it {}", info(*wanted).name));
}

Result<void> check_bytes(const Program& program, const DeviceLimits& limits, const Variable& variable,
                         std::uint64_t bytes, bool empty_grid) {
    const std::uint64_t needed = min_binding_bytes(program.types(), variable.type);
    const bool may_be_empty = empty_grid && program.types()[variable.type].is_runtime_array();
    if (bytes < needed && !may_be_empty)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} holds {} bytes, fewer than the {} that {} needs.", label(variable), bytes,
                                needed, program.types().name(variable.type)),
                    fmt::format("bind at least {} bytes", needed));
    const bool uniform = variable.space == AddressSpace::uniform;
    const std::uint64_t limit = uniform ? limits.max_uniform_binding_bytes : limits.max_storage_binding_bytes;
    if (bytes > limit)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("{} holds {} bytes, more than the {} that the device takes in one {} binding.",
                        label(variable), bytes, limit, uniform ? "uniform" : "storage"),
            "bind a part of it (BufferRange), or use another device");
    return {};
}

Result<BufferRange> check_range(const Program& program, const DeviceLimits& limits, const Variable& variable,
                                BufferRange range, bool empty_grid) {
    TRY(check_scalar(program, variable, range.buffer.scalar()));
    const std::uint64_t whole = range.buffer.bytes();
    if (range.offset % binding_offset_alignment != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} starts at byte {} of its buffer, which is no multiple of {}.",
                                label(variable), range.offset, binding_offset_alignment),
                    fmt::format("start at a multiple of {} bytes", binding_offset_alignment));
    if (range.offset > whole || range.bytes > whole - range.offset)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} is bytes {} to {} of a buffer of {}.", label(variable), range.offset,
                                range.offset + range.bytes, whole),
                    "bind a part that lies within the buffer");
    if (range.bytes == 0) range.bytes = whole - range.offset;
    TRY(check_bytes(program, limits, variable, range.bytes, empty_grid));
    return range;
}

Result<void> check_value(const Program& program, const DeviceLimits& limits, const Variable& variable,
                         const ArgumentValue& value) {
    if (variable.is_written)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} is written by {}, but the argument is a value.", label(variable),
                                program.entry()),
                    "bind a buffer, from which the result can be read");
    TRY(check_scalar(program, variable, value.scalar));
    const Type& type = program.types()[variable.type];
    if (!program.types().has_runtime_array(variable.type) && value.bytes.size() != type.size)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} is {}, of {} bytes; the value has {}.", label(variable),
                                program.types().name(variable.type), type.size, value.bytes.size()),
                    "lay the value out as WGSL does, padding included");
    return check_bytes(program, limits, variable, value.bytes.size(), false);
}

/// What is written must overlap nothing else: WGSL section "Memory Locations": writable aliases are errors.
Result<void> check_overlap(const Program& program, std::span<const BoundArgument> bound) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const auto* a = std::get_if<BufferRange>(&bound[i].what);
        if (!a) continue;
        for (std::size_t j = i + 1; j < bound.size(); ++j) {
            const auto* b = std::get_if<BufferRange>(&bound[j].what);
            if (!b || a->buffer.state() != b->buffer.state()) continue;
            if (!bound[i].variable->is_written && !bound[j].variable->is_written) continue;
            if (a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset) continue;
            const Variable& written = *(bound[i].variable->is_written ? bound[i] : bound[j]).variable;
            const Variable& other = *(bound[i].variable->is_written ? bound[j] : bound[i]).variable;
            return fail(ErrorCode::conflict,
                        fmt::format("{} is written by {} and overlaps {} in one buffer.", label(written),
                                    program.entry(), label(other)),
                        "bind another buffer, or parts of it that don't overlap");
        }
    }
    return {};
}

}  // namespace

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

Result<std::vector<BoundArgument>> bind_arguments(const Program& program, const DeviceLimits& limits,
                                                  std::span<const Argument> arguments, bool empty_grid) {
    const auto bindings = program.bindings();
    std::vector<const Argument*> given(bindings.size());
    for (const Argument& argument : arguments) {
        const std::size_t place = TRY(place_of(program, argument));
        if (given[place])
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} is given twice.", label(program.variable(bindings[place]))),
                        "give each binding once");
        given[place] = &argument;
    }
    std::vector<BoundArgument> bound;
    bound.reserve(bindings.size());
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const Variable& variable = program.variable(bindings[i]);
        if (!given[i])
            return fail(
                ErrorCode::invalid_argument, fmt::format("{} isn't given.", label(variable)),
                fmt::format("bind \"{}\", which is {}", variable.name, program.types().name(variable.type)));
        if (const auto* range = std::get_if<BufferRange>(&given[i]->what)) {
            bound.push_back({&variable, TRY(check_range(program, limits, variable, *range, empty_grid))});
        } else {
            const auto& value = std::get<ArgumentValue>(given[i]->what);
            TRY(check_value(program, limits, variable, value));
            bound.push_back({&variable, &value});
        }
    }
    TRY(check_overlap(program, bound));
    return bound;
}

}  // namespace muster
