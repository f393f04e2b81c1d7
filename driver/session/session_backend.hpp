// session_backend.hpp - a backend handed to one session: for tests, and for programs that bring their own.
//
//     auto session = Session::open({.backends = {{.backend = std::make_shared<Mine>()}}});
//
// It is one more beside the process's, under its own id, and nobody else sees it. Threads: a value; the backend is called as
// backend.hpp says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/api.hpp>

namespace MUSTER_API muster {

struct SessionBackend {
    std::shared_ptr<Backend> backend = {};
    std::uint32_t rank = 0;  // before every other one, unless they say 0, too
    bool dispatches = true;  // executes; else it only emits
    std::vector<std::string> tags = {};
    OpSet supported_ops = OpSet::all_exact();
};

}  // namespace muster
