// programs.hpp - small programs for tests of the driver, built without the front end.
#pragma once

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::test {

inline ValidProgram valid(IrBuilder&& ir) {
    auto program = std::move(ir).finish();
    REQUIRE(program);
    auto proven = validate(*std::move(program));
    if (!proven) FAIL(proven.error().to_string());
    return *proven;
}

/// y[i] = a * x[i] + y[i]: a is uniform (binding 0), x read (1), y read_write (2). Different values of `entry`
/// give different programs.
inline ValidProgram saxpy(std::uint32_t workgroup_size = 64, const std::string& entry = "saxpy") {
    IrBuilder ir(entry, {workgroup_size, 1, 1});
    const TypeId floats = ir.types().runtime_array(f32_type);
    const VariableId a = ir.variable({.name = "a",
                                      .type = f32_type,
                                      .space = AddressSpace::uniform,
                                      .access = Access::read,
                                      .binding = 0});
    const VariableId x = ir.variable(
        {.name = "x", .type = floats, .space = AddressSpace::storage, .access = Access::read, .binding = 1});
    const VariableId y =
        ir.variable({.name = "y", .type = floats, .space = AddressSpace::storage, .binding = 2});
    const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    const NodeId place = ir.ref_index(ir.ref(y), i);
    const NodeId product = ir.binary(Op::mul, ir.load(ir.ref(a)), ir.load(ir.ref_index(ir.ref(x), i)));
    ir.store(place, ir.binary(Op::add, product, ir.load(place)));
    return valid(std::move(ir));
}

/// data[i] = op(data[i]), one f32 array at binding 0.
inline ValidProgram map_unary(Op op, const std::string& entry = "map") {
    IrBuilder ir(entry, {64, 1, 1});
    const VariableId data = ir.variable(
        {.name = "data", .type = ir.types().runtime_array(f32_type), .space = AddressSpace::storage});
    const NodeId place = ir.ref_index(ir.ref(data), ir.extract(ir.builtin(Builtin::global_invocation_id), 0));
    ir.store(place, ir.unary(op, ir.load(place)));
    return valid(std::move(ir));
}

/// data[i] = i, one u32 array at binding 0: uses no f32.
inline ValidProgram iota(std::uint32_t workgroup_size = 64) {
    IrBuilder ir("iota", {workgroup_size, 1, 1});
    const VariableId data = ir.variable(
        {.name = "data", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    ir.store(ir.ref_index(ir.ref(data), i), i);
    return valid(std::move(ir));
}

}  // namespace muster::test
