// c_interface.hpp - the C interface of an emitted kernel: what its header declares and its
// entry point reads. Pure.
//
// In `struct NAME_bindings`, a uniform binding is a value and a storage binding a pointer, followed
// by the number of elements if it has a run-time array. Padding is explicit, so that C needs no
// alignment beyond that of its own scalars: WGSL's wider alignments (vec4: 16 bytes) determine
// offsets, not how memory must be aligned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/native/c_name.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

/// One binding in `struct NAME_bindings`. Offsets and sizes in bytes.
struct CBinding {
    VariableId variable;
    std::string name;
    bool by_value = false;
    bool has_count = false;  // has a run-time array: name_count, a size_t
    std::string count_name;
    std::uint64_t offset = 0;  // of the value or the pointer
    std::uint64_t count_offset = 0;
    std::uint64_t fixed_bytes = 0;  // of the binding, without its run-time array
    std::uint64_t stride = 0;       // of an element of the run-time array
};

/// A WGSL structure and its name in C, including "struct".
struct CStructure {
    TypeId type;
    std::string name;
};

struct CInterface {
    std::string name;  // of the entry point; prefix of all other names
    std::string macro_prefix;
    std::vector<CBinding> bindings;      // in Program::bindings() order
    std::vector<CStructure> structures;  // those that the bindings need; a structure's members come before it
    std::uint64_t bindings_bytes = 0;    // of struct NAME_bindings
    std::uint64_t scratch_bytes = 0;     // to be provided by the caller, aligned or not; 0: none
    bool scratch_on_stack = false;       // the entry point that runs all workgroups provides it
};

/// Names the entry point `symbol`; if that is empty, by the program's entry name as a C identifier, or by its
/// file's name if the entry is "main". `kernel_scratch_bytes`: ImageHeader::scratch_bytes. Errors:
/// invalid_argument if `symbol` can't be the name of a C function.
Result<CInterface> c_interface(const Program& program, std::string_view symbol,
                               std::uint64_t kernel_scratch_bytes);

}  // namespace muster::cpu
