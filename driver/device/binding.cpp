#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/device/binding.hpp>
#include <muster/driver/device/buffer_state.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster {
namespace {

using Rule = BindingRules::Rule;

std::string label(const Variable& variable) {
    return variable.group == 0 ? fmt::format("Binding {} (\"{}\")", variable.binding, variable.name)
                               : fmt::format("Binding {} of group {} (\"{}\")", variable.binding,
                                             variable.group, variable.name);
}

std::string shown(const std::variant<std::string, GroupBinding>& where) {
    if (const auto* name = std::get_if<std::string>(&where)) return fmt::format("\"{}\"", printable(*name));
    const auto& at = std::get<GroupBinding>(where);
    return fmt::format("at group {}, binding {}", at.group, at.binding);
}

// Error texts, kept out of the checks, which every dispatch runs, so that the checks stay small.

using BindingError = std::unexpected<Error>;

BindingError no_such_binding(const Program& program, const Argument& argument) {
    std::vector<std::string_view> there;
    for (const VariableId id : program.bindings()) there.push_back(program.variable(id).name);
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has no binding {}.", program.entry(), shown(argument.where)),
                there.empty()
                    ? "bind nothing: it has no bindings at all"
                    : fmt::format("bind one of: {}; variables that no result depends on are left out",
                                  fmt::join(there, ", ")));
}

/// The error with the place where the binding is declared, if that is known.
BindingError at_declaration(BindingError error, const Program& program, const Variable& variable) {
    const SourceLocation where = variable.location;
    if (where.line == 0 || where.file >= program.files().size()) return error;
    return BindingError(std::move(error).error().during(
        fmt::format("binding \"{}\", declared at {}", variable.name, to_string(where, program.file(where)))));
}

BindingError refuse(const Program& program, const Variable& variable, ErrorCode code, std::string message,
                    std::string fix) {
    return at_declaration(fail(code, std::move(message), std::move(fix)), program, variable);
}

BindingError given_twice(const Program& program, const Variable& variable) {
    return refuse(program, variable, ErrorCode::invalid_argument,
                  fmt::format("{} is given twice.", label(variable)), "give each binding once");
}

BindingError not_given(const Program& program, const Variable& variable) {
    return refuse(
        program, variable, ErrorCode::invalid_argument, fmt::format("{} isn't given.", label(variable)),
        fmt::format("bind \"{}\", which is {}", variable.name, program.types().name(variable.type)));
}

BindingError wrong_element_type(const Program& program, const Rule& rule, ElementType given) {
    return refuse(program, *rule.variable, ErrorCode::invalid_argument,
                  fmt::format("{} is {}; the argument is made of {}.", label(*rule.variable),
                              program.types().name(rule.variable->type), given.name()),
                  rule.element ? fmt::format("give it {}", rule.element->name())
                               : "give it bytes in WGSL's layout: a structure, or std::byte");
}

BindingError too_small(const Program& program, const Rule& rule, std::uint64_t bytes) {
    return refuse(program, *rule.variable, ErrorCode::invalid_argument,
                  fmt::format("{} holds {} bytes, fewer than the {} that {} needs.", label(*rule.variable),
                              bytes, rule.min_bytes, program.types().name(rule.variable->type)),
                  fmt::format("bind at least {} bytes", rule.min_bytes));
}

/// The most bytes of a binding whose run-time array has a length that is an i32 too.
std::uint64_t most_bytes(const TypeTable& types, TypeId type) {
    const RuntimeArray array = runtime_array(types, type);
    return array.stride == 0 ? UINT64_MAX : array.offset + array.stride * std::uint64_t{INT32_MAX};
}

BindingError too_large(const Program& program, const Rule& rule, std::uint64_t bytes) {
    const bool uniform = rule.variable->space == AddressSpace::uniform;
    if (!uniform && rule.max_bytes == most_bytes(program.types(), rule.variable->type))
        return refuse(
            program, *rule.variable, ErrorCode::limit_exceeded,
            fmt::format(
                "{} holds {} bytes, more than the {} of an array of {} elements, the most that one may "
                "have on any device: its length is an i32 too.",
                label(*rule.variable), bytes, rule.max_bytes, INT32_MAX),
            "bind a part of it (BufferRange), or declare larger elements, such as vectors");
    return refuse(program, *rule.variable, ErrorCode::limit_exceeded,
                  fmt::format("{} holds {} bytes, more than the {} that the device takes in one {} binding.",
                              label(*rule.variable), bytes, rule.max_bytes, uniform ? "uniform" : "storage"),
                  "bind a part of it (BufferRange), or use another device");
}

BindingError misaligned(const Program& program, const Variable& variable, std::uint64_t offset) {
    return refuse(program, variable, ErrorCode::invalid_argument,
                  fmt::format("{} starts at byte {} of its buffer, which isn't a multiple of {}.",
                              label(variable), offset, binding_offset_alignment),
                  fmt::format("start at a multiple of {} bytes", binding_offset_alignment));
}

BindingError beyond_the_end(const Program& program, const Variable& variable, const BufferRange& range,
                            std::uint64_t whole) {
    return refuse(program, variable, ErrorCode::invalid_argument,
                  fmt::format("{} is bytes {} to {} of a buffer of {}.", label(variable), range.offset,
                              range.offset + range.bytes, whole),
                  "bind a part that lies within the buffer");
}

BindingError written_value(const Program& program, const Variable& variable) {
    return refuse(
        program, variable, ErrorCode::invalid_argument,
        fmt::format("{} is written by {}, but the argument is a value.", label(variable), program.entry()),
        "bind a buffer, from which the result can be read");
}

BindingError wrong_size(const Program& program, const Rule& rule, std::size_t bytes) {
    return refuse(program, *rule.variable, ErrorCode::invalid_argument,
                  fmt::format("{} is {}, of {} bytes; the value has {}.", label(*rule.variable),
                              program.types().name(rule.variable->type), rule.min_bytes, bytes),
                  "lay the value out as WGSL does, padding included");
}

BindingError overlapping(const Program& program, const Variable& written, const Variable& other) {
    auto error = refuse(program, written, ErrorCode::conflict,
                        fmt::format("{} is written by {} and overlaps {} in one buffer.", label(written),
                                    program.entry(), label(other)),
                        "bind another buffer, or parts of it that don't overlap");
    return at_declaration(std::move(error), program, other);
}

bool names(const Argument& argument, const Variable& variable) {
    if (const auto* name = std::get_if<std::string>(&argument.where)) return *name == variable.name;
    return std::get<GroupBinding>(argument.where) == GroupBinding{variable.group, variable.binding};
}

/// True if the given element type doesn't fit the binding. Bytes and 4-byte words fit a binding
/// of several scalar types.
bool is_of_another_element(const Rule& rule, const std::optional<ElementType>& given) {
    if (!given) return false;
    if (rule.element) return *given != *rule.element;
    return given->bytes != 1 && given->bytes != 4;
}

Result<BoundRange> check_range(const Program& program, const Rule& rule, const BufferRange& range,
                               bool empty_grid) {
    const Buffer::State& buffer = *range.buffer.state();
    if (is_of_another_element(rule, buffer.element_type))
        return wrong_element_type(program, rule, *buffer.element_type);
    if (range.offset % binding_offset_alignment != 0)
        return misaligned(program, *rule.variable, range.offset);
    if (range.offset > buffer.bytes || range.bytes > buffer.bytes - range.offset)
        return beyond_the_end(program, *rule.variable, range, buffer.bytes);
    const std::uint64_t bytes = range.bytes == 0 ? buffer.bytes - range.offset : range.bytes;
    if (bytes < rule.min_bytes && !(empty_grid && rule.is_array)) return too_small(program, rule, bytes);
    if (bytes > rule.max_bytes) return too_large(program, rule, bytes);
    TRY(range.buffer.state()->check_own_process());
    return BoundRange{range.buffer.state().get(), range.offset, bytes};
}

Result<const ArgumentValue*> check_value(const Program& program, const Rule& rule,
                                         const ArgumentValue& value) {
    const std::size_t bytes = value.bytes.size();
    if (rule.variable->is_written) return written_value(program, *rule.variable);
    if (is_of_another_element(rule, value.element)) return wrong_element_type(program, rule, *value.element);
    if (rule.is_sized && bytes != rule.min_bytes) return wrong_size(program, rule, bytes);
    if (bytes < rule.min_bytes) return too_small(program, rule, bytes);
    if (bytes > rule.max_bytes) return too_large(program, rule, bytes);
    return &value;
}

/// A range that is written must overlap no other: writable aliases are errors (WGSL,
/// section "Memory Locations").
Result<void> check_overlap(const Program& program, std::span<const BoundArgument> bound) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const auto* a = std::get_if<BoundRange>(&bound[i].what);
        if (!a) continue;
        for (std::size_t j = i + 1; j < bound.size(); ++j) {
            const auto* b = std::get_if<BoundRange>(&bound[j].what);
            if (!b || a->buffer != b->buffer) continue;
            const Variable &first = *bound[i].variable, &second = *bound[j].variable;
            if (!first.is_written && !second.is_written) continue;
            if (a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset) continue;
            return first.is_written ? overlapping(program, first, second)
                                    : overlapping(program, second, first);
        }
    }
    return {};
}

}  // namespace

BindingRules::BindingRules(Program program, const DeviceLimits& limits) : program_(std::move(program)) {
    const TypeTable& types = program_.types();
    for (const VariableId id : program_.bindings()) {
        const Variable& variable = program_.variable(id);
        const bool uniform = variable.space == AddressSpace::uniform;
        rules_.push_back({.variable = &variable,
                          .element = sole_scalar(types, variable.type),
                          .min_bytes = min_binding_bytes(types, variable.type),
                          .max_bytes = uniform ? limits.max_uniform_binding_bytes
                                               : std::min(limits.max_storage_binding_bytes,
                                                          most_bytes(types, variable.type)),
                          .is_array = types[variable.type].is_runtime_array(),
                          .is_sized = !types.has_runtime_array(variable.type)});
    }
}

Result<BoundArguments> BindingRules::bind(std::span<const Argument> arguments, bool empty_grid) const {
    InlineVector<const Argument*, usual_bindings> given(rules_.size(), nullptr);
    for (const Argument& argument : arguments) {
        const auto rule = std::ranges::find_if(
            rules_, [&](const Rule& candidate) { return names(argument, *candidate.variable); });
        if (rule == rules_.end()) return no_such_binding(program_, argument);
        const Argument*& place = given[static_cast<std::size_t>(rule - rules_.begin())];
        if (place) return given_twice(program_, *rule->variable);
        place = &argument;
    }
    Result<BoundArguments> bound;
    bound->reserve(rules_.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const Rule& rule = rules_[i];
        if (!given[i]) return not_given(program_, *rule.variable);
        if (const auto* range = std::get_if<BufferRange>(&given[i]->what))
            bound->push_back({rule.variable, TRY(check_range(program_, rule, *range, empty_grid))});
        else
            bound->push_back(
                {rule.variable, TRY(check_value(program_, rule, std::get<ArgumentValue>(given[i]->what)))});
    }
    TRY(check_overlap(program_, *bound));
    return bound;
}

}  // namespace muster
