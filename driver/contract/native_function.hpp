// native_function.hpp - a function of a native API, as a row of a backend's table of them: called as itself,
// it goes through check_native (check.hpp) by its own name.
//
//     template <class F> using Function = NativeFunction<F, translate>;  // translate: a code's std::optional<Error>
//     struct GpuTable {
//         Function<decltype(&::gpu_open)> gpu_open{"gpu_open"};
//     };
//     library.fill([&](auto&& visit) { visit(table.gpu_open.name, table.gpu_open.pointer); });  // driver_library.hpp
//     TRY(table.gpu_open(0, &device));
//
// Threads: any.
#pragma once

#include <muster/driver/contract/check.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class Pointer, auto translate>
struct NativeFunction;

template <class Code, class... Parameters, auto translate>
struct NativeFunction<Code (*)(Parameters...), translate> {
    const char* name;
    Code (*pointer)(Parameters...) =
        nullptr;  // what it returns is checked only if it is called by operator()

    Result<void> operator()(Parameters... arguments) const {
        return check_native(
            name, [&] { return pointer(arguments...); }, translate);
    }
};

MUSTER_API_END
}  // namespace muster
