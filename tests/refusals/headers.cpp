// headers.cpp - uses of public headers that must not compile (check_refusals).

// case argument_span
// error: an argument that only refers to its elements: make a Buffer of them
#include <span>

#include <muster/driver/device/argument.hpp>

muster::Argument bound(std::span<const float> values) { return {"x", values}; }

// case cxx20 -std=c++20
// first error: muster needs C\+\+23: compile with -std=c\+\+23
#include <muster/muster.hpp>

// case cxx20_kernel -std=c++20
// first error: muster needs C\+\+23: compile with -std=c\+\+23
#include <muster/foundation/lang/kernel.hpp>

// case cxx20_result -std=c++20
// first error: muster needs C\+\+23: compile with -std=c\+\+23
#include <muster/foundation/base/result.hpp>

// case cxx20_session -std=c++20
// first error: muster needs C\+\+23: compile with -std=c\+\+23
#include <muster/driver/session/session.hpp>

// case cxx20_wgsl -std=c++20
// first error: muster needs C\+\+23: compile with -std=c\+\+23
#include <muster/foundation/wgsl/wgsl.hpp>
