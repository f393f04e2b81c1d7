// type_name.hpp - types as written on the command line: vec4f, array<u32,8>, names that the program declares.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <muster/foundation/ir/program.hpp>

namespace muster::cli {

using TypeNames = std::map<std::string, std::string, std::less<>>;

/// Returns a type in TypeTable::name()'s spelling: "array<vec4f,8>" becomes "array<vec4<f32>, 8>". `aliases`
/// maps further names to types in that spelling.
std::string canonical_type_name(std::string_view name, const TypeNames& aliases = {});

/// The aliases that the program's text declares; none if the text isn't available.
TypeNames aliases_of(const Program& program);

}  // namespace muster::cli
