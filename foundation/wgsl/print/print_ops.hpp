// print_ops.hpp - a table of the WGSL operator or function for each operation. Internal to print*.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <muster/foundation/ir/op.hpp>

namespace muster::wgsl {

enum class Spelling : std::uint8_t {
    special,  // handled in the printer's code
    infix,
    prefix,
    call,
};

struct OpSpelling {
    Op op;
    Spelling form;
    std::string_view text;  // the operator or the function's name
};

const OpSpelling& spelling(Op op);

inline constexpr std::string_view workgroup_uniform_load = "workgroupUniformLoad";

}  // namespace muster::wgsl
