#include <fmt/format.h>

#include <muster/c/dispatch.hpp>
#include <muster/c/elements.hpp>

namespace muster::c {
namespace {

/// The most bytes of a value: uniforms are small.
constexpr std::uint64_t most_value = 1 << 20;

Answer<Buffer> buffer_of(muster_buffer handle) {
    return table<BufferObject>().get(
        handle.id, [](const std::shared_ptr<BufferObject>& object) noexcept { return object->buffer; });
}

Answer<ArgumentValue> read_value(const muster_argument& given) {
    if (given.bytes > most_value)
        return std::unexpected(
            Error{ErrorCode::limit_exceeded,
                  fmt::format("A value has {} bytes, and may have {}.", given.bytes, most_value),
                  "put it into a buffer",
                  {}});
    const std::span<const std::byte> bytes = TRY(read_bytes(given.value, given.bytes, "an argument's value"));
    return ArgumentValue{InlineVector<std::byte, 64>(bytes), TRY(element_of(given.element))};
}

template <class What>
Answer<void> add(AskedDispatch& to, const muster_argument& given, const What& what) {
    const std::string_view name = TRY(read_text(given.name, "an argument's name"));
    if (name.empty())
        to.arguments.push_back(Argument(GroupBinding{given.group, given.binding}, what));
    else
        to.arguments.push_back(Argument(name, what));
    return {};
}

Answer<void> add_argument(AskedDispatch& to, const muster_argument& given) {
    if (given.buffer.id == 0) return add(to, given, TRY(read_value(given)));
    return add(to, given, BufferRange{TRY(buffer_of(given.buffer)), given.offset, given.bytes});
}

std::unexpected<Fault> wrong_grid(std::string message, std::string fix) {
    return std::unexpected<Fault>(Error{ErrorCode::invalid_argument, std::move(message), std::move(fix), {}});
}

Answer<std::variant<Grid, GridInBuffer>> read_grid(const muster_dispatch& given) {
    if (given.grid == MUSTER_GRID_IN_BUFFER)
        return GridInBuffer{TRY(buffer_of(given.grid_buffer)), given.grid_offset};
    if (given.axes < 1 || given.axes > 3)
        return wrong_grid(fmt::format("The grid has {} axes.", given.axes), "set `axes` to 1, 2 or 3");
    const auto axis = [&](std::uint32_t which) { return which < given.axes ? given.size[which] : 1; };
    switch (given.grid) {
        case MUSTER_GRID_WORKGROUPS: return Grid(Workgroups{axis(0), axis(1), axis(2)});
        case MUSTER_GRID_INVOCATIONS: return Grid(Invocations{axis(0), axis(1), axis(2)});
        default:
            return wrong_grid(fmt::format("{} isn't a way to count a grid.", given.grid),
                              "set `grid` to MUSTER_GRID_WORKGROUPS, MUSTER_GRID_INVOCATIONS or "
                              "MUSTER_GRID_IN_BUFFER");
    }
}

}  // namespace

Answer<void> read_dispatch(const muster_dispatch* given, AskedDispatch& asked, bool has_grid) {
    const muster_dispatch dispatch = TRY(read_given(given, "muster_dispatch"));
    const Items<muster_argument> items =
        TRY(read_items(dispatch.arguments, dispatch.argument_count, "muster_argument"));
    asked.arguments.reserve(items.all.size());
    for (const muster_argument& one : items.all) TRY(add_argument(asked, one));
    if (has_grid) asked.grid = TRY(read_grid(dispatch));
    return {};
}

Answer<Grid> plain_grid(const AskedDispatch& dispatch) {
    if (const Grid* const grid = std::get_if<Grid>(&dispatch.grid)) return *grid;
    return wrong_grid("The grid is in a buffer, and is asked for before anything runs.",
                      "count it in workgroups or invocations");
}

Answer<Grid> grid_alone(const muster_dispatch* dispatch) {
    AskedDispatch asked;
    TRY(read_dispatch(dispatch, asked));
    if (asked.arguments.empty()) return plain_grid(asked);
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 "The kernel has its arguments, and the dispatch gives others.",
                                 "set argument_count to 0, or dispatch the kernel without bind()",
                                 {}});
}

Answer<BufferRange> read_range(const muster_range* range) {
    if (range == nullptr) return null_pointer("muster_range");
    return BufferRange{TRY(buffer_of(range->buffer)), range->offset, range->bytes};
}

Answer<void> give_ticket(muster_ticket* to, Ticket ticket) {
    if (to == nullptr) return {};
    return give_handle(to, std::move(ticket));
}

void tell(muster_timing* to, const Timing& timing) {
    write(to, muster_timing{.is_measured = timing.device_ns ? 1u : 0u,
                            .device_ns = timing.device_ns.value_or(0)});
}

}  // namespace muster::c
