// table.hpp - a backend's table in C, checked once, and the door to its functions.
//
//     const Table table = TRY(check_table(registered, "mine"));
//     TRY(call("open", [&](muster_backend_error* error) { return table.open(ordinal, &device, error); }));
//
// A table is code of strangers, compiled against this or another version of muster_backend.h: its size and its slots are
// checked here, statuses and texts at each call. Threads: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/c_table/muster_backend.h>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::c_table {

/// A table with all members of this driver's version: those that the backend's lacks are zero.
using Table = muster_backend_table;

/// Errors: invalid_argument (a wrong size, a function that others need is missing), unsupported (a newer version, no form that this
/// driver writes). `id`: the backend's, for the messages.
Result<Table> check_table(const muster_backend_table* table, std::string_view id);

/// The forms that both the table and this driver know, as bits. Reads nothing else, and no table of a wrong size.
std::uint32_t known_forms(const muster_backend_table* table);

/// True if the table has devices to run programs on.
inline bool runs(const Table& table) { return table.launch != nullptr; }

/// A structure of muster_backend.h for a backend to fill in, with room for the members of later versions.
template <class Structure>
struct Filled {
    Structure known{};
    std::byte later[1024]{};
    Filled() { known.struct_size = sizeof(Structure); }
};

/// The text in an array that a backend has written to, made printable; it may lack its zero.
std::string text_of(const char* characters, std::size_t most);
template <std::size_t N>
std::string text_of(const char (&characters)[N]) {
    return text_of(characters, N);
}

/// Writes a text, cut off where it doesn't fit.
void write_text(char* to, std::size_t most, std::string_view text);
template <std::size_t N>
void write_text(char (&to)[N], std::string_view text) {
    write_text(to, N, text);
}

/// The error of a negative status; none for 0. For any other status: internal.
std::optional<Error> error_of(std::string_view function, muster_backend_status status,
                              const muster_backend_error& error);

/// Calls a function of a table. Returns 0 or MUSTER_BACKEND_NONE; the latter only if `may_be_none`, else it is an error.
template <class Call>
Result<muster_backend_status> call_for_status(std::string_view function, bool may_be_none, Call&& call) {
    Filled<muster_backend_error> error;
    muster_backend_status status = MUSTER_BACKEND_OK;
    auto made = check_native(
        function, [&] { return status = call(&error.known); },
        [&](muster_backend_status code) {
            return may_be_none && code == MUSTER_BACKEND_NONE ? std::nullopt
                                                              : error_of(function, code, error.known);
        });
    if (!made) return std::unexpected(std::move(made).error());
    return status;
}
template <class Call>
Result<void> call(std::string_view function, Call&& call) {
    auto made = call_for_status(function, false, std::forward<Call>(call));
    if (!made) return std::unexpected(std::move(made).error());
    return {};
}

}  // namespace muster::c_table
