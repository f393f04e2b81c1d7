// kernel.hpp - kernels written in C++: an embedded language with the expressive power
// of WGSL's compute subset.
//
//     using namespace muster::lang;
//     Result<Program> program = kernel("saxpy(a, x, y)", {256}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
//         auto i = global_invocation_id().x();
//         y[i] = a * x[i] + y[i];
//     });
//
// The function runs once, on the host, and records its operations on device values; lang/value.hpp,
// composite.hpp, structure.hpp, object.hpp, variable.hpp, parameter.hpp, control.hpp, grid.hpp, subgroups.hpp
// and functions.hpp define these.
// Plain C++ in it is metaprogramming: a C++ `for` unrolls, a C++ `if` selects what is recorded. A
// structure is a C++ struct:
//
//     struct Particle { Field<vec3<f32>> position; Field<f32> mass; };     // WGSL's layout
//     kernel("grow(by, ps)", {64}, [](Uniform<f32> by, InOut<Particle> ps) {
//         ps[global_invocation_id().x()].mass *= by;
//     });
//
// Rule for parameters: the k-th one, from 0, is @group(0) @binding(k), named by the k-th name between the
// parentheses; without parentheses they are named p0, p1, ... In<T> is var<storage, read> of array<T>; Out<T>
// and InOut<T> are var<storage, read_write> of array<T>; Storage<T> is var<storage, read_write> of T and
// Storage<const T> var<storage, read> of T, where T is a scalar, vector, atomic, array or structure; each
// Uniform<T> is a var<uniform> of type T. A parameter that the kernel doesn't use is not a binding of the
// program. So the program, including its fingerprint, is that of
//
//     @group(0) @binding(0) var<uniform> a: f32;
//     @group(0) @binding(1) var<storage, read> x: array<f32>;
//     @group(0) @binding(2) var<storage, read_write> y: array<f32>;
//     @compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
//         let i = id.x;
//         y[i] = a * x[i] + y[i];
//     }
//
// Each thread has its own current kernel, since operators have no room for a context argument: a kernel is
// recorded on the thread that calls kernel(). Calls may nest, and run on many threads at once. Every node has
// the location of the C++ source that made it. The program isn't validated yet: call validate().
#pragma once

// clang-format off
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/cxx23.hpp>  // must come first
// clang-format on

#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/lang/control.hpp>
#include <muster/foundation/lang/grid.hpp>
#include <muster/foundation/lang/packing.hpp>
#include <muster/foundation/lang/parameter.hpp>
#include <muster/foundation/lang/subgroups.hpp>
#include <muster/foundation/lang/uniform_load.hpp>

namespace muster::lang {
namespace detail {

struct Signature {
    std::string entry;
    std::vector<std::string> names;
};
/// Parses "saxpy(a, x, y)". Errors: invalid_argument (another form, or not `parameters` names).
MUSTER_API Result<Signature> parse_signature(std::string_view text, std::size_t parameters);

template <class Function>
struct Parameters : Parameters<decltype(&Function::operator())> {};
template <class Class, class... P>
struct Parameters<void (Class::*)(P...) const> {
    static constexpr std::size_t count = sizeof...(P);
    template <class Function>
    static void call(Function& function, const Signature& signature, Location where) {
        [&]<std::size_t... k>(std::index_sequence<k...>) {
            function(
                std::remove_cvref_t<P>(Slot{signature.names[k], static_cast<std::uint32_t>(k), where})...);
        }
        (std::index_sequence_for<P...>{});
    }
};

}  // namespace detail

/// Records a kernel. Errors: invalid_argument (the signature), invalid_program (a value of another kernel is
/// used, a number doesn't fit its type, control flow doesn't pair), limit_exceeded (too many nodes).
/// Exceptions from the function pass through.
template <class Function>
Result<Program> kernel(std::string_view signature, Extent3 workgroup_size, Function function,
                       detail::Location where = detail::Location::current()) {
    using Parameters = detail::Parameters<Function>;
    Result<detail::Signature> parsed = detail::parse_signature(signature, Parameters::count);
    if (!parsed) return std::unexpected(std::move(parsed).error());
    detail::Recorder recorder(parsed->entry, workgroup_size, where);
    {
        const detail::Recorder::Use use(recorder);
        Parameters::call(function, *parsed, where);
        recorder.flush();
    }
    return std::move(recorder).finish();
}

}  // namespace muster::lang
