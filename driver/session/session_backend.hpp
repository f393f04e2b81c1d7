// session_backend.hpp - a backend handed to one session: for tests, and for programs that bring their own.
//
//     auto session = Session::open({.backends = {{.backend = std::make_shared<Mine>()}}});
//
// The backend joins the process's backends under an id of its own; other sessions don't see it. Its devices
// aren't checked (Policy::check_devices): the program that brings it answers for it. Threads: a plain value;
// the backend is called from the threads that backend.hpp describes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct SessionBackend {
    std::shared_ptr<Backend> backend = {};
    std::uint32_t rank = 0;  // lower ranks are preferred; 0 comes first
    bool dispatches = true;  // if false, it only emits
    std::vector<std::string> tags = {};
    OpSet supported_ops = OpSet::all_exact();
};

MUSTER_API_END
}  // namespace muster
