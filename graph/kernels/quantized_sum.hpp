// quantized_sum.hpp - what a sum over quantised numbers subtracts from its factors, and what becomes of the
// sum. Internal to graph/kernels.
#pragma once

#include <string>

#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

struct QuantizedSum {
    std::string x_zero, w_zero;  // expressions of i32
    std::string factor;          // of f32; empty: the sum is the result
    std::string y_zero;
    ElementType result = ElementType::i32;
    OperandId row_zeros = {};
    bool has_row_zeros = false;  // then x_zero is that of a row

    /// QLinearConv; `channel`: the weights' channel.
    static QuantizedSum of_conv(GroupLowering& group, KernelText& text, const std::string& channel);
    /// MatMulInteger and QLinearMatMul; `column`: that of the second matrix.
    static QuantizedSum of_product(GroupLowering& group, KernelText& text, const std::string& column);

    std::string x_zero_of_row(const std::string& row, KernelText& text) const {
        return has_row_zeros ? text.load(row_zeros, offset_along(text.storage(row_zeros), row)) : x_zero;
    }
    std::string finished(const std::string& sum, KernelText& text) const;
};

}  // namespace muster::graph
