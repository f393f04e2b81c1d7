// type_name.hpp - types as a user writes them on the command line: vec4f, array<u32,8>, the names that the program declares.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <muster/foundation/ir/program.hpp>

namespace muster::cli {

using TypeNames = std::map<std::string, std::string, std::less<>>;

/// A type as TypeTable::name() spells it: "array<vec4f,8>" as "array<vec4<f32>, 8>". `aliases`: what further names stand
/// for, in that spelling.
std::string canonical_type_name(std::string_view name, const TypeNames& aliases = {});

/// The names that the program's text declares; none where it has no text.
TypeNames aliases_of(const Program& program);

}  // namespace muster::cli
