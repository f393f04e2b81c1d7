// project_backends.hpp - the backends that muster's own sources have, whether this build made them or not, and how one
// that isn't linked is had.
//
//     how_to_have("cud", linked)    // "did you mean \"cuda\"? It isn't linked: link muster::backend_cuda, ..."
//
// The list is written by cmake/MusterBackend.cmake: no source of the driver names a backend. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster {

struct ProjectBackend {
    std::string_view id;
    std::string_view left_out;  // why this build didn't make it: "libnvrtc is missing"; empty: it did
};
std::span<const ProjectBackend> project_backends();

/// A Fix: for who names a backend that isn't linked: the nearest names, how to link or build it, or what there is.
std::string how_to_link(std::string_view id, std::span<const std::string> linked);
/// The same, and that its plugin isn't looked for, where MUSTER_AUTOLOAD=0 says so.
std::string how_to_have(std::string_view id, std::span<const std::string> linked);

/// not_found: nobody registers this id.
Error unknown_backend(std::string_view id, std::span<const std::string> linked);

}  // namespace muster
