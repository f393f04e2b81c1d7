// case.hpp - one conformance case: a kernel, its data, and the expected results.
//
// A case is WGSL text whose leading comments describe it (first line) and give directives:
//     // bind NAME = TYPE v0 v1 ...          literal values; f32 takes decimals, hex floats, nan, inf
//     // bind NAME = zeros|iota TYPE COUNT   or: random TYPE COUNT SEED (u32, i32: all bits; f32, f16: in [0, 1))
//     // workgroups X [Y [Z]]                or: invocations X [Y [Z]]; without either: one workgroup
//     // expect NAME = TYPE v0 v1 ...        the binding's contents after the run
// Values fill words of 4 bytes: those of 2 bytes come in pairs, those of 1 in fours.
// A case without expectations is compared with the interpreter only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/grid.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/type.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::conformance {

struct Values {
    Scalar scalar = Scalar::u32;
    std::vector<std::uint32_t> words;  // the binding's bytes: two f16 or four u8 in one
};

struct Case {
    std::string name;   // "integers/signed_division"
    std::string shows;  // the first comment
    std::string text;
    Grid grid = Workgroups{1, 1, 1};
    std::map<std::string, Values> bind;
    std::map<std::string, Values> expect;

    /// Its kernel. Errors: those of its text.
    Result<ValidProgram> program() const;
};

/// Reads a case from its text. Errors: invalid_argument, with file and line of a wrong directive.
Result<Case> parse_case(std::string name, std::string text);

/// The library's cases by name: those of the core operations, and those of extensions and of subgroups, which
/// a lowering needn't support.
Result<std::vector<Case>> load_core_cases();
Result<std::vector<Case>> load_extension_cases();
/// The core cases, then those of extensions.
Result<std::vector<Case>> load_cases();
/// The cases whose names match a glob ("integers/*"). Errors: not_found, for a glob that matches none.
Result<std::vector<Case>> select_cases(std::span<const std::string> globs);
/// True if `text` matches: * is any text, ? any character, [...] one of these.
bool matches(const std::string& glob, const std::string& text);

/// The bindings' contents after a run, in Program::bindings() order.
using Outputs = std::vector<Values>;

/// The bindings' data in order, with the scalar type in which each is compared.
Result<Outputs> inputs_of(const Case& test, const Program& program);

/// The first difference, or "" if the words are the same. Any NaN equals any NaN; subnormals equal zero if
/// `flushed`.
std::string difference(const Values& expected, const Values& actual, bool flushed);
/// The first difference among all bindings, behind the binding's name; "" if there is none.
std::string first_difference(const Program& program, const Outputs& expected, const Outputs& actual,
                             bool flushed);

}  // namespace muster::conformance
