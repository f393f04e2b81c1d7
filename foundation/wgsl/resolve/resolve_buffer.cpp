// Resolves buffers and the functions that see them as other types (WGSL sections "Buffer Types" and "Buffer
// View Built-in Functions").

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {

std::optional<std::uint64_t> known_bytes(const TypedExpression* e) {
    if (e == nullptr || !e->is_known()) return std::nullopt;
    return static_cast<std::uint64_t>(e->constant.integer());
}

}  // namespace

TypeRef Resolver::buffer_type(const ast::Expression& e) {
    const auto arguments = ast_[e.list];
    if (!e.has_template) return types_.buffer(0);
    if (arguments.size() != 1)
        refuse(e.where, fmt::format("buffer takes its size in bytes, {} arguments given.", arguments.size()),
               "write buffer<64>, or buffer for one sized at run time.");
    Expr* size = value(arguments[0]);
    if (!size->type->is_index())
        refuse(size->where, fmt::format("A buffer's size has type {}.", size->type->name),
               "use an i32 or a u32.");
    // Without a value, the largest size: nothing that is seen in it is too large.
    const bool is_unset = size->form == ExpressionForm::unset_override;
    size = sizing(size);
    if (!size->is_known())
        refuse(size->where, "A buffer's size isn't known before the program runs.",
               "use a constant or an override.");
    const std::int64_t step = f16_enabled_ ? 2 : 4;
    const std::int64_t bytes = is_unset ? UINT32_MAX - 3 : size->constant.integer();
    if (bytes < 1)
        refuse(size->where, fmt::format("A buffer's size is {} bytes.", bytes),
               fmt::format("use at least {}.", step));
    if (bytes > static_cast<std::int64_t>(limits::type_bytes))
        refuse(size->where,
               fmt::format("A buffer's size is {} bytes; the limit is {}.", bytes, limits::type_bytes),
               "use a smaller one, or one sized at run time: buffer.");
    if (bytes % step != 0)
        refuse(size->where, fmt::format("A buffer's size is {} bytes, no multiple of {}.", bytes, step),
               fmt::format("use {}.",
                           round_up(static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(step))));
    return types_.buffer(static_cast<std::uint32_t>(bytes), size->stage == Stage::override_);
}

void Resolver::check_buffer(const Global& global) const {
    const TypeRef type = global.type;
    const bool is_workgroup = global.space == AddressSpace::workgroup;
    const bool is_storage = global.space == AddressSpace::storage;
    const bool is_uniform = global.space == AddressSpace::uniform && !global.is_immediate;
    if (!is_workgroup && !is_storage && !is_uniform)
        refuse(global.where,
               fmt::format("The variable {} is a buffer in the address space {}.", global.name,
                           global.is_immediate ? "immediate" : name(global.space)),
               "use storage, uniform or workgroup.");
    if (type->count == 0 && !is_storage)
        refuse(
            global.where,
            fmt::format("The {} variable {} is a buffer sized at run time.", name(global.space), global.name),
            "give it a size in bytes, as in buffer<64>.");
    if (type->override_sized && !is_workgroup)
        refuse(global.where,
               fmt::format("The size of the {} buffer {} comes from an override.", name(global.space),
                           global.name),
               is_storage ? "use a constant, or a buffer sized at run time." : "use a constant.");
}

TypedExpression* Resolver::buffer_pointer(std::string_view function, ast::ExpressionId id) {
    Expr* pointer = expression(id);
    if (pointer->is_reference || pointer->type->kind != Kind::pointer ||
        pointer->type->element->kind != Kind::buffer)
        refuse(pointer->where,
               fmt::format("{} takes a pointer to a buffer, not {}.", function, pointer->type->name),
               pointer->is_reference && pointer->type->kind == Kind::buffer
                   ? "write & in front."
                   : "pass &x of a variable of type buffer.");
    return pointer;
}

TypedExpression* Resolver::buffer_length(const ast::Expression& e) {
    expect_arguments(e, "bufferLength", 1);
    return make(ExpressionForm::buffer_length, types_.u32, e.where,
                {buffer_pointer("bufferLength", ast_[e.list][0])});
}

TypedExpression* Resolver::byte_count(std::string_view function, std::string_view what,
                                      ast::ExpressionId id) {
    Expr* e = concrete(value(id));
    if (e->type != types_.i32 && e->type != types_.u32)
        refuse(e->where, fmt::format("The {} of {} has type {}.", what, function, e->type->name),
               "use an i32 or a u32.");
    if (e->is_known() && e->constant.integer() < 0 && unevaluated_ == 0)
        refuse(e->where, fmt::format("The {} of {} is {}.", what, function, e->constant.integer()),
               "use 0 or more.");
    return e;
}

TypedExpression* Resolver::buffer_view(std::string_view function, const ast::Expression& callee,
                                       const ast::Expression& e) {
    const bool is_array = function == "bufferArrayView";
    const auto templates = ast_[callee.list];
    if (templates.size() != 1)
        refuse(e.where, fmt::format("{} takes one template argument, {} given.", function, templates.size()),
               is_array ? "write bufferArrayView<array<u32>>(&x, 0, 64)." : "write bufferView<u32>(&x, 0).");
    expect_arguments(e, function, is_array ? 3 : 2);
    const TypeRef seen = type(templates[0]);
    const SourceLocation where = ast_[templates[0]].where;
    if (!seen->host_shareable || seen->kind == Kind::buffer || holds_atomic(seen) || holds_narrow(seen))
        refuse(where, fmt::format("A buffer can't be seen as {}.", seen->name),
               "use i32, u32, f32, f16, numbers of 64 bits, their vectors and matrices, and arrays and "
               "structures of them.");
    if (is_array && runtime_array(seen) == nullptr)
        refuse(where, fmt::format("bufferArrayView takes a type sized at run time, not {}.", seen->name),
               fmt::format("write bufferView<{}>(...).", seen->name));
    std::vector<Expr*> operands{buffer_pointer(function, ast_[e.list][0]),
                                byte_count(function, "offset", ast_[e.list][1])};
    if (is_array) operands.push_back(byte_count(function, "size", ast_[e.list][2]));
    const TypeRef pointer = operands[0]->type;
    if (unevaluated_ == 0) check_view(seen, pointer->element, *operands[1], is_array ? operands[2] : nullptr);
    Expr* view = make(ExpressionForm::buffer_view, types_.pointer(pointer->space, seen, pointer->access),
                      e.where, std::move(operands));
    view->space = pointer->space;
    view->access = pointer->access;
    view->name = view->operands[0]->name;
    view->is_cheap = false;
    return view;
}

// Refuses a view that is known to be misplaced. An offset or size that isn't known counts as 0.
void Resolver::check_view(TypeRef seen, TypeRef buffer, const Expr& offset, const Expr* size) const {
    const auto start = known_bytes(&offset), length = known_bytes(size);
    const std::uint64_t least = least_bytes(seen);
    const std::string_view takes = runtime_array(seen) != nullptr ? "takes at least" : "takes";
    if (start && *start % seen->align != 0)
        refuse(offset.where,
               fmt::format("The offset {} isn't a multiple of {}, the alignment of {}.", *start, seen->align,
                           seen->name),
               fmt::format("use {} or {}.", *start / seen->align * seen->align,
                           round_up(*start, std::uint64_t{seen->align})));
    if (length && *length < least)
        refuse(size->where,
               fmt::format("{} {} {} bytes; the view has {}.", seen->name, takes, least, *length),
               "give it a larger size.");
    if (length) {
        const std::uint64_t head = array_offset(seen), stride = runtime_array(seen)->stride;
        const std::uint64_t whole = head + (*length - head) / stride * stride;
        if (whole != *length)
            refuse(size->where,
                   fmt::format("A view of {} bytes doesn't end with an element of {}.", *length, seen->name),
                   fmt::format("use {} or {}.", whole, whole + stride));
    }
    if (buffer->count == 0) return;
    if (least > buffer->count)
        refuse(offset.where,
               fmt::format("{} {} {} bytes; the buffer has {}.", seen->name, takes, least, buffer->count),
               "use a smaller type or a larger buffer.");
    const std::uint64_t end = start.value_or(0) + (size == nullptr ? least : length.value_or(0));
    if ((start || length) && end > buffer->count)
        refuse(start ? offset.where : size->where,
               fmt::format("A view of {} ends at byte {} of a buffer of {}.", seen->name, end, buffer->count),
               "use a smaller offset or a larger buffer.");
}

}  // namespace muster::wgsl
