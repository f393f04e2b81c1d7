// print_ops.hpp - how each operation is written in WGSL, in one table. Internal to print*.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <muster/foundation/ir/op.hpp>

namespace muster::wgsl {

enum class Spelling : std::uint8_t {
    special,  // print.cpp knows
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

}  // namespace muster::wgsl
