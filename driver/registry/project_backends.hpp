// project_backends.hpp - the backends in muster's own sources, built or left out, and advice on linking
// one that a program lacks.
//
//     how_to_get("cud", linked)    // "did you mean \"cuda\"? It isn't linked: link muster::backend_cuda, ..."
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
    std::string_view left_out;  // why this build left it out: "libnvrtc is missing"; empty: it is built
};
std::span<const ProjectBackend> project_backends();

/// The fix for an id that isn't linked: how to link or build the backend, the nearest
/// names, or the linked ones.
std::string how_to_link(std::string_view id, std::span<const std::string> linked);
/// The text of how_to_link(), and with MUSTER_AUTOLOAD=0 a hint that plugins aren't searched for.
std::string how_to_get(std::string_view id, std::span<const std::string> linked);

/// The error not_found for an id that no backend has. Unless the project has a backend of this id, its
/// fix lists every known one.
Error unknown_backend(std::string_view id, std::span<const std::string> linked);

}  // namespace muster
