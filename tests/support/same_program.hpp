// same_program.hpp - checks that a kernel in C++ and a WGSL text are the same program.
#pragma once

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::test {

/// Unwraps and validates a program; an error fails the test.
inline Program made(Result<Program> program) {
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    const Result<ValidProgram> valid = validate(*program);
    CHECK_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *program;
}

/// A host's view of a type: "Particle { position: vec3<f32> @0, mass: f32 @12 } 16".
inline std::string described(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    if (type.kind == TypeKind::array)
        return "[" + described(types, type.element) + "; " + std::to_string(type.count) + "]";
    std::string text = types.name(id);
    if (type.kind != TypeKind::structure) return text;
    for (const Member& member : type.members)
        text +=
            " " + member.name + ": " + described(types, member.type) + " @" + std::to_string(member.offset);
    return text + " #" + std::to_string(type.size);
}

/// Compares a kernel in C++ with its text: structure, fingerprint, and a host's view of the bindings.
inline void check_same(Result<Program> in_cpp, const char* text) {
    const Program cpp = made(std::move(in_cpp));
    const Program wgsl = made(wgsl::parse(text));
    CHECK(to_string(cpp.fingerprint()) == to_string(wgsl.fingerprint()));
    CHECK(same_structure(cpp, wgsl));
    REQUIRE(cpp.bindings().size() == wgsl.bindings().size());
    for (std::size_t k = 0; k < cpp.bindings().size(); ++k)
        CHECK(described(cpp.types(), cpp.variable(cpp.bindings()[k]).type) ==
              described(wgsl.types(), wgsl.variable(wgsl.bindings()[k]).type));
}

}  // namespace muster::test
