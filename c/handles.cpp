#include <fmt/format.h>

#include <muster/c/handles.hpp>
#include <muster/c/kinds.hpp>

namespace muster::c {

std::unexpected<Fault> invalid_handle(std::uint64_t id, std::uint8_t kind) {
    const HandleParts parts = HandleParts::of(id);
    const std::string_view wanted = name_of_kind(kind);
    std::string message, fix;
    if (id == 0) {
        message = fmt::format("A {} is asked for, and the handle is 0.", wanted);
        fix = "give one that a function made; its status tells if it did";
    } else if (parts.kind != kind && is_kind(parts.kind)) {
        message =
            fmt::format("A {} is asked for, and the handle is of a {}.", wanted, name_of_kind(parts.kind));
        fix = fmt::format("give a handle of a {}", wanted);
    } else if (parts.kind == kind && parts.process != static_cast<std::uint8_t>(fork_count())) {
        Error error = made_before_fork(fmt::format("The {}", wanted));
        return std::unexpected(Fault(std::move(error), MUSTER_ERROR_INVALID_HANDLE));
    } else {
        message =
            fmt::format("The handle {:#x} is of no living {}: it was released, or never given.", id, wanted);
        fix = "release a handle once, after its last use";
    }
    return std::unexpected(Fault({ErrorCode::invalid_argument, std::move(message), std::move(fix), {}},
                                 MUSTER_ERROR_INVALID_HANDLE));
}

std::unexpected<Fault> too_many_handles(std::uint8_t kind) {
    return std::unexpected(Fault(
        {ErrorCode::limit_exceeded,
         fmt::format("Over sixteen million handles of the kind {} aren't released.", name_of_kind(kind)),
         "release those that aren't needed any more",
         {}}));
}

}  // namespace muster::c
