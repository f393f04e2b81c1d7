// dispatch.hpp - arguments and grids, from the caller's structures. Threads: pure.
#pragma once

#include <span>
#include <variant>

#include <muster/c/objects.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster::c {

struct AskedDispatch {
    InlineVector<Argument, 8> arguments;
    std::variant<Grid, GridInBuffer> grid = Grid();

    std::span<const Argument> all() const { return arguments; }
};

/// Fills in `asked`, in place, because moving arguments takes time. Errors: invalid_argument, invalid_handle.
Answer<void> read_dispatch(const muster_dispatch* given, AskedDispatch& asked, bool has_grid = true);
/// Likewise, where a grid can't be in a buffer: the workgroups are needed now.
Answer<Grid> plain_grid(const AskedDispatch& dispatch);

/// The grid of a kernel that has its arguments. Errors also: invalid_argument (the dispatch has some, too).
Answer<Grid> grid_alone(const muster_dispatch* dispatch);

/// A part of a buffer. Errors: invalid_argument (null), invalid_handle.
Answer<BufferRange> read_range(const muster_range* range);

/// Gives a ticket to a caller who may not want one.
Answer<void> give_ticket(muster_ticket* to, Ticket ticket);
/// Fills in how long work took. Precondition: check_writable().
void tell(muster_timing* to, const Timing& timing);

}  // namespace muster::c
