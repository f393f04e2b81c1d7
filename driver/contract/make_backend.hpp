// make_backend.hpp - the factory of a Backend class. Compile errors name the functions that the class lacks.
//
//     constexpr BackendRegistration registration{
//         .id = "cpu", .factory = make_backend<CpuBackend>, .supported_ops = supported_ops};
//
// The factory calls the class's default constructor each time that the driver asks for a backend. Threads: any.
#pragma once

#include <memory>
#include <type_traits>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace MUSTER_API muster {

/// True if a class only inherits a function from Backend: then a pointer to that member of the class (`OfClass`) has the
/// type of the pointer to Backend's own (`OfBackend`).
template <class OfClass, class OfBackend>
concept InheritedFromBackend = std::is_same_v<OfClass, OfBackend>;

template <class T>
constexpr void check_backend() {
    static_assert(std::is_base_of_v<Backend, T>, "a backend's class derives from muster::Backend");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::id), decltype(&Backend::id)>; },
        "the backend misses id(): the id of its registration");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::probe), decltype(&Backend::probe)>; },
        "the backend misses probe(): it finds devices, or says why there are none");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::open), decltype(&Backend::open)>; },
        "the backend misses open(): it opens a device; one that only emits answers an error");
    static_assert(
        !requires {
            requires InheritedFromBackend<decltype(&T::default_arch), decltype(&Backend::default_arch)>;
        },
        "the backend misses default_arch(): the target where none is asked for");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::formats), decltype(&Backend::formats)>; },
        "the backend misses formats(): what it emits, the default first");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::specs), decltype(&Backend::specs)>; },
        "the backend misses specs(): its compile specs; where there are none, an empty span");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::describe), decltype(&Backend::describe)>; },
        "the backend misses describe(): it describes a target");
    static_assert(
        !requires { requires InheritedFromBackend<decltype(&T::emit), decltype(&Backend::emit)>; },
        "the backend misses emit(): it writes a program's code");
    static_assert(!std::is_abstract_v<T>,
                  "a function of the backend isn't declared as muster::Backend declares it: write override "
                  "behind each");
}

template <class T>
Result<std::unique_ptr<Backend>> make_backend() {
    check_backend<T>();
    if constexpr (!std::is_abstract_v<T>) return std::make_unique<T>();
}

}  // namespace muster
