// wgsl.hpp - the front end's one door: WGSL text in, a Program out.
//
//     Result<Program> program = wgsl::parse(text, {.file = "saxpy.wgsl", .overrides = {{"block", "64"}}});
//     if (!program) std::cerr << program.error().to_string();   // up to 20 faults, with line, caret and fix
//
// Overrides get their values here, so a Program has only constants. The program is not validated yet:
// validate() checks what concerns all of it, such as barriers in non-uniform control flow. Any bytes are safe
// to give; time and memory are bounded (limits.hpp, parser.hpp, IrBuilder::max_nodes). Threads: functions
// without shared state. Source: WGSL, the compute part.
//
// A module may hold more: vertex and fragment shaders, textures, matrices and what else muster doesn't have are read
// and passed over, unless the entry point reaches them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/wgsl/parse/parse_options.hpp>

namespace muster::wgsl {

/// Errors: invalid_program (the message holds up to 20 rendered faults), not_found (no such compute entry point),
/// invalid_argument (several entry points and none named, an override that isn't there or doesn't take its
/// value), limit_exceeded (the inlined program has too many nodes).
Result<Program> parse(std::string_view text, const ParseOptions& options = {});

/// Every fault of the text, up to 20, and what its compute entry points, or `options.entry` alone, reach that muster
/// doesn't have; empty: parse() accepts it, given an entry point and the overrides it needs.
std::vector<Diagnostic> diagnose(std::string_view text, const ParseOptions& options = {});

struct EntryPoint {
    std::string name;
    Extent3 workgroup_size;  // with the overrides' values
};
/// The compute entry points, in the text's order. Errors: invalid_program.
Result<std::vector<EntryPoint>> entry_points(std::string_view text, const ParseOptions& options = {});

struct Override {
    std::string name;
    std::optional<std::uint16_t> id;  // @id
    Scalar type = Scalar::i32;
    bool has_default = false;  // without one, a value must be given
};
/// In the text's order. Errors: invalid_program.
Result<std::vector<Override>> overrides(std::string_view text, const ParseOptions& options = {});

struct Alias {
    std::string name;
    std::string type;  // as TypeTable::name() spells it
};
/// The types that the text's alias declarations stand for. Errors: invalid_program.
Result<std::vector<Alias>> aliases(std::string_view text, const ParseOptions& options = {});

}  // namespace muster::wgsl
