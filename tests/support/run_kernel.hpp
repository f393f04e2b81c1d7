// run_kernel.hpp - a kernel under construction, its bindings as words, and its run on the interpreter.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

#include "support/float_bits.hpp"

namespace muster::test {

using Words = std::vector<std::uint32_t>;

/// A kernel whose storage variables are declared in the order of their bindings.
struct Kernel {
    explicit Kernel(Extent3 workgroup = {1, 1, 1}) : ir("main", workgroup) {}

    VariableId storage(std::string name, TypeId type) {
        return ir.variable(
            {.name = std::move(name), .type = type, .space = AddressSpace::storage, .binding = bindings++});
    }
    /// A storage variable of words, sized at run time.
    VariableId words(std::string name) {
        return storage(std::move(name), ir.types().runtime_array(u32_type));
    }
    VariableId in(AddressSpace space, TypeId type, std::string name = "v") {
        return ir.variable({.name = std::move(name), .type = type, .space = space});
    }
    /// A function variable, declared here.
    VariableId local(TypeId type, NodeId initial = {}) {
        const VariableId v = in(AddressSpace::function, type);
        ir.declare(v, initial);
        return v;
    }
    NodeId at(VariableId v, NodeId index) { return ir.ref_index(ir.ref(v), index); }
    NodeId at(VariableId v, std::uint32_t index) { return at(v, ir.constant(index)); }
    NodeId get(VariableId v) { return ir.load(ir.ref(v)); }
    NodeId get(VariableId v, auto index) { return ir.load(at(v, index)); }
    void set(VariableId v, NodeId value) { ir.store(ir.ref(v), value); }
    void set_at(VariableId v, auto index, NodeId value) { ir.store(at(v, index), value); }
    NodeId u(std::uint32_t x) { return ir.constant(x); }
    NodeId add(NodeId a, NodeId b) { return ir.binary(Op::add, a, b); }
    NodeId local_index() { return ir.builtin(Builtin::local_invocation_index); }
    NodeId global_x() { return ir.extract(ir.builtin(Builtin::global_invocation_id), 0); }

    ValidProgram finish() {
        Result<Program> program = std::move(ir).finish();
        REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
        Result<ValidProgram> valid = validate(*program);
        REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
        return *valid;
    }

    IrBuilder ir;
    std::uint32_t bindings = 0;
};

inline LaunchGrid groups(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    return {.extent = {x, y, z}, .grid = {x, y, z}};
}

/// Runs on `memory`, one vector per binding.
inline Result<InterpretReport> try_run(const ValidProgram& program, std::vector<Words>& memory,
                                       const LaunchGrid& grid, const InterpretOptions& options = {}) {
    std::vector<BoundBytes> bound;
    for (Words& words : memory) bound.push_back({std::as_writable_bytes(std::span(words))});
    return interpret(program, bound, grid, options);
}

/// Runs like try_run, but fails the test on an error; returns the memory afterwards.
inline std::vector<Words> run(const ValidProgram& program, std::vector<Words> memory,
                              const LaunchGrid& grid = groups(1), const InterpretOptions& options = {}) {
    const Result<InterpretReport> report = try_run(program, memory, grid, options);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    return memory;
}

}  // namespace muster::test
