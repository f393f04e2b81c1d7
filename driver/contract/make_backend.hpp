// make_backend.hpp - the factory of a Backend class. Compile errors name the functions that the class lacks.
//
//     constexpr BackendRegistration registration{
//         .id = "cpu", .factory = make_backend<CpuBackend>, .supported_ops = supported_ops};
//
// The factory calls the class's default constructor each time that the driver asks for
// a backend. Threads: any.
#pragma once

#include <memory>
#include <type_traits>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class T>
Result<std::unique_ptr<Backend>> make_backend() {
    static_assert(std::is_base_of_v<Backend, T>, "a backend's class derives from muster::Backend");
    return std::make_unique<T>();  // of an abstract T, the compiler names the functions that it misses
}

MUSTER_API_END
}  // namespace muster
