// wgsl.hpp - the WGSL front end: parses WGSL text into a Program.
//
//     Result<Program> program = wgsl::parse(text, {.file = "saxpy.wgsl", .overrides = {{"block", "64"}}});
//     if (!program) std::cerr << program.error().to_string();   // up to 20 faults, with line, caret and fix
//
// Overrides get their values here, so a Program has only constants. The program isn't validated yet:
// validate() checks whole-program rules, such as barriers in non-uniform control flow. Any bytes are safe
// input; time and memory are bounded (program_limits.hpp, IrBuilder::max_nodes). Threads: functions without
// shared state. Source: WGSL, the compute part.
//
// Modules may contain what muster doesn't support (vertex and fragment shaders, textures, ...): it is
// parsed and ignored unless the entry point reaches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/wgsl/parse/parse_options.hpp>

namespace muster::wgsl {
MUSTER_API_BEGIN

/// Parses one entry point. Errors: invalid_program (the message has up to 20 rendered faults), not_found (no
/// such compute entry point), invalid_argument (several entry points and none named, or an override that
/// doesn't exist or doesn't accept its value), limit_exceeded (the inlined program has too many nodes).
Result<Program> parse(std::string_view text, const ParseOptions& options = {});

/// Returns up to 20 faults: all errors of the text, and unsupported features that its compute entry points
/// (or only `options.entry`) reach. If empty, parse() accepts the text, given an entry point and the
/// overrides that it needs.
std::vector<Diagnostic> diagnose(std::string_view text, const ParseOptions& options = {});

struct EntryPoint {
    std::string name;
    Extent3 workgroup_size;  // after overrides are applied
};
/// The compute entry points, in the text's order. Errors: invalid_program.
Result<std::vector<EntryPoint>> entry_points(std::string_view text, const ParseOptions& options = {});

struct Override {
    std::string name;
    std::optional<std::uint16_t> id;  // @id
    Scalar type = Scalar::i32;
    bool has_default = false;  // if false, a value must be given
};
/// The module's overrides, in the text's order. Errors: invalid_program.
Result<std::vector<Override>> overrides(std::string_view text, const ParseOptions& options = {});

/// A resource that an entry point statically uses (WGSL, section "Resource Interface of a Shader"): its code
/// names it, whether or not the program's result depends on it.
struct Resource {
    std::string name;
    SourceLocation where;
    std::uint32_t group = 0, binding = 0;  // of an immediate: where Program::bindings() has it
    AddressSpace space = AddressSpace::storage;
    Access access = Access::read;
    bool is_immediate = false;    // var<immediate>
    std::uint64_t min_bytes = 0;  // of a binding; a run-time array counts as one element
};
struct EntryInterface {
    std::string name;
    std::vector<Resource> resources;  // by group and binding, the immediate last
    std::vector<Diagnostic>
        unsupported;  // WGSL that it reaches and muster doesn't run: textures, for instance
};
struct Interface {
    std::vector<std::string> enables;     // the extensions that the text enables
    std::vector<EntryInterface> entries;  // the compute entry points, in the text's order
    std::vector<std::string> others;      // entry points of other stages
    bool needs_overrides = false;         // a size depends on an override that has no value
};
/// The resources that a host must provide to run the module. Errors: invalid_program.
Result<Interface> interface_of(std::string_view text, const ParseOptions& options = {});

struct Alias {
    std::string name;
    std::string type;  // in TypeTable::name()'s spelling
};
/// The text's alias declarations, with the types that they name. Errors: invalid_program.
Result<std::vector<Alias>> aliases(std::string_view text, const ParseOptions& options = {});

MUSTER_API_END
}  // namespace muster::wgsl
