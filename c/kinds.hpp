// kinds.hpp - the kinds of objects, by the numbers of MUSTER_KIND_..., and their names for
// messages. Threads: pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <muster/c/muster.h>

namespace muster::c {

inline constexpr std::array<std::string_view, 17> kind_names{
    "process", "session", "backend",  "device",   "target", "program", "route", "kernel", "bound kernel",
    "buffer",  "ticket",  "sequence", "artifact", "blob",   "tensor",  "model", "report"};
static_assert(kind_names.size() == MUSTER_KIND_REPORT + 1);

constexpr bool is_kind(std::uint8_t kind) { return kind > 0 && kind < kind_names.size(); }
constexpr std::string_view name_of_kind(std::uint8_t kind) {
    return kind < kind_names.size() ? kind_names[kind] : "object";
}

}  // namespace muster::c
