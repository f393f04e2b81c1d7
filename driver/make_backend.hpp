// make_backend.hpp - the factory of a Backend class. What the class misses, the compiler says by name.
//
//     constexpr BackendRegistration registration{
//         .id = "cpu", .factory = make_backend<CpuBackend>, .supported_ops = supported_ops};
//
// The class is made by its default constructor, each time that the driver asks for one. Threads: any.
#pragma once

#include <memory>
#include <type_traits>

#include <muster/driver/backend.hpp>
#include <muster/foundation/result.hpp>

namespace muster {

/// Whether nobody between T and Backend defines what `of_class`, a pointer to a member of T, names: it is Backend's own then.
template <class OfClass, class OfBackend>
inline constexpr bool is_inherited_from_backend = std::is_same_v<OfClass, OfBackend>;

template <class T>
concept NamesNoId = requires {
    requires is_inherited_from_backend<decltype(&T::id), decltype(&Backend::id)>;
};
template <class T>
concept ProbesNothing = requires {
    requires is_inherited_from_backend<decltype(&T::probe), decltype(&Backend::probe)>;
};
template <class T>
concept OpensNothing = requires {
    requires is_inherited_from_backend<decltype(&T::open), decltype(&Backend::open)>;
};
template <class T>
concept HasNoDefaultArch = requires {
    requires is_inherited_from_backend<decltype(&T::default_arch), decltype(&Backend::default_arch)>;
};
template <class T>
concept HasNoFormats = requires {
    requires is_inherited_from_backend<decltype(&T::formats), decltype(&Backend::formats)>;
};
template <class T>
concept HasNoSpecs = requires {
    requires is_inherited_from_backend<decltype(&T::specs), decltype(&Backend::specs)>;
};
template <class T>
concept DescribesNothing = requires {
    requires is_inherited_from_backend<decltype(&T::describe), decltype(&Backend::describe)>;
};
template <class T>
concept EmitsNothing = requires {
    requires is_inherited_from_backend<decltype(&T::emit), decltype(&Backend::emit)>;
};

template <class T>
constexpr void check_backend() {
    static_assert(std::is_base_of_v<Backend, T>, "a backend's class derives from muster::Backend");
    static_assert(!NamesNoId<T>, "the backend misses id(): the id of its registration");
    static_assert(!ProbesNothing<T>,
                  "the backend misses probe(): it finds devices, or says why there are none");
    static_assert(!OpensNothing<T>,
                  "the backend misses open(): it opens a device; one that only emits answers an error");
    static_assert(!HasNoDefaultArch<T>,
                  "the backend misses default_arch(): the target where none is asked for");
    static_assert(!HasNoFormats<T>, "the backend misses formats(): what it emits, the default first");
    static_assert(!HasNoSpecs<T>,
                  "the backend misses specs(): its compile specs; where there are none, an empty span");
    static_assert(!DescribesNothing<T>, "the backend misses describe(): it describes a target");
    static_assert(!EmitsNothing<T>, "the backend misses emit(): it writes a program's code");
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
