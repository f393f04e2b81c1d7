#include <array>
#include <cassert>
#include <string>
#include <utility>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/expand/math_function.hpp>

namespace muster {
namespace {

/// A program that only applies the operation to its bindings.
Program applied(Op op, std::uint32_t width) {
    IrBuilder ir(std::string(info(op).name), {});
    const TypeId type = type_of(Scalar::f32, width);
    std::uint32_t bindings = 0;
    const auto operand = [&](const char* name) {
        return ir.load(ir.ref(ir.variable({.name = name,
                                           .type = type,
                                           .space = AddressSpace::uniform,
                                           .access = Access::read,
                                           .binding = bindings++})));
    };
    const NodeId a = operand("a");
    const NodeId value = info(op).operands == 2 ? ir.binary(op, a, operand("b")) : ir.unary(op, a);
    const VariableId result =
        ir.variable({.name = "result", .type = type, .space = AddressSpace::storage, .binding = bindings});
    ir.store(ir.ref(result), value);
    Result<Program> made = std::move(ir).finish();
    assert(made && "a handful of operations");
    return std::move(*made);
}

}  // namespace

Program math_function(Op op, std::uint32_t width, const OpSet& native) {
    assert(info(op).group == OpGroup::math);
    OpSet without_mathematics = native;
    without_mathematics.core &= OpSet::all_exact().core;
    const Result<ValidProgram> valid = validate(applied(op, width));
    assert(valid && "a valid program");
    const Result<ValidProgram> written_out = expand(*valid, without_mathematics);
    assert(written_out && "a few hundred operations");
    return **written_out;
}

}  // namespace muster
