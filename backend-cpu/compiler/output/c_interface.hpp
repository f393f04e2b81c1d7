// c_interface.hpp - the C face of an emitted kernel: what its header declares and its entry point reads. Pure.
//
// A uniform binding stands in `struct NAME_bindings` by value, a storage binding as a pointer; a run-time array's is
// followed by its number of elements. All of it is laid out by explicit padding, so that C needs no alignment beyond
// that of its own scalars: WGSL's wider ones (vec4, 16 bytes) say where things lie, not how memory must be aligned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

/// One binding in `struct NAME_bindings`. Offsets and sizes in bytes.
struct CBinding {
    VariableId variable;
    std::string name;
    bool by_value = false;
    bool has_count = false;  // run-time arrays: name_count, a size_t
    std::string count_name;
    std::uint64_t offset = 0;  // of the value or the pointer
    std::uint64_t count_offset = 0;
    std::uint64_t fixed_bytes = 0;  // of the binding, without its run-time array
    std::uint64_t stride = 0;       // of an element of that
};

/// A WGSL structure's name in C, with "struct".
struct CStructure {
    TypeId type;
    std::string name;
};

struct CInterface {
    std::string name;  // of the entry point, and what all other names begin with
    std::string macro_prefix;
    std::vector<CBinding> bindings;      // in Program::bindings() order
    std::vector<CStructure> structures;  // those that the bindings need, what they are made of first
    std::uint64_t bindings_bytes = 0;    // of struct NAME_bindings
    std::uint64_t scratch_bytes = 0;     // that a caller provides, aligned or not; 0: none
    bool scratch_on_stack = false;       // the entry point that runs all workgroups has its own
};

/// `symbol` empty: the program's entry name, made C's; its file's where it is "main". `kernel_scratch_bytes`: ImageHeader::scratch_bytes.
/// Errors: invalid_argument where `symbol` can't be the name of a C function.
Result<CInterface> c_interface(const Program& program, std::string_view symbol,
                               std::uint64_t kernel_scratch_bytes);

/// WGSL's name as a C and C++ identifier: a keyword gets an underscore, other characters are spelt out.
std::string c_identifier(std::string_view name);

}  // namespace muster::cpu
