// kernel_text.hpp - writes the WGSL of a kernel over tensors: bindings, index arithmetic, loads and stores.
//
//     KernelText text;
//     const OperandId x = text.operand(from), y = text.operand(to);
//     const auto at = text.each_element(std::array{x, y}, y);      // one invocation for each element: both offsets
//     text.store(y, at[1], fmt::format("abs({})", text.load(x, at[0])));
//     KernelStep step = std::move(text).finish();
//
// Two operands in one place share a binding, which is read_write if one of them is stored. Values in the text
// are f32 for tensors of floats, and i32 for all others; indices are u32 and wrap. Threads: one at a time.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <muster/graph/ir/tensor.hpp>
#include <muster/graph/kernel_text/group_kernels.hpp>

namespace muster::graph {

/// An operand of a kernel, by its number.
struct OperandId {
    std::size_t index = 0;
};

class KernelText {
  public:
    /// `lanes`: invocations of a workgroup, along x.
    explicit KernelText(std::uint32_t lanes = 64) : lanes_(lanes) {}

    OperandId operand(const Storage& storage);
    const Storage& storage(OperandId id) const { return operands_[id.index]; }

    /// The element at an offset, which counts from the buffer's begin, as f32 or i32.
    std::string load(OperandId id, std::string_view offset);
    /// Stores a value: f32 is rounded to f16; integers must have been wrapped.
    void store(OperandId id, std::string_view offset, std::string_view value);

    void line(std::string_view text);
    template <class... Arguments>
    requires(sizeof...(Arguments) > 0) void line(fmt::format_string<Arguments...> format,
                                                 Arguments&&... arguments) {
        line(std::string_view(fmt::format(format, std::forward<Arguments>(arguments)...)));
    }
    /// Declares a value and returns its name.
    std::string let(std::string_view expression);
    /// Adds a function of the module, once.
    void function(std::string_view text) { functions_.emplace(text); }

    /// One invocation for each element that the operands have, which are of the same sizes: declares its
    /// indices, and returns its offset in each operand. The axis along which `inner` is contiguous varies
    /// fastest. `indices`, if not null, gets an expression for each axis.
    std::vector<std::string> each_element(std::span<const OperandId> operands, OperandId inner,
                                          std::vector<std::string>* indices = nullptr);
    /// Declares the index on each axis of the element that is the `position`-th in row-major
    /// order; 0 on axes of size 1.
    std::vector<std::string> indices_of(std::string position, const Sizes& sizes);
    /// One invocation for each of `count`: declares i.
    void each(std::int64_t count);

    /// The kernel, over these workgroups, or over those that each() and each_element() ask for.
    KernelStep finish(std::array<std::uint32_t, 3> workgroups) &&;
    KernelStep finish() &&;

  private:
    std::string binding(OperandId id) const;

    std::uint32_t lanes_;
    std::vector<Storage> operands_;
    std::vector<std::size_t> bindings_;  // of the operands
    std::vector<Storage> bound_;         // the first operand of each binding
    std::vector<bool> stored_;           // of bindings
    std::set<std::string> functions_;
    std::string body_;
    std::size_t names_ = 0;
    std::uint32_t workgroups_ = 1;
};

/// The tensor as one of `sizes`, by NumPy's broadcasting. Precondition: it can be.
Storage broadcast_to(Storage storage, const Sizes& sizes);
/// The sum of index * stride and an offset, as an expression of u32. Terms that are 0 are left out.
std::string offset_of(std::span<const std::string> indices, const Sizes& strides, std::int64_t offset);
/// The offset of an element of a tensor of one axis.
inline std::string offset_along(const Storage& storage, const std::string& index) {
    return offset_of(std::span(&index, 1), {storage.strides.back()}, storage.offset);
}
/// An f32, exactly: a literal, or a call that gives infinity or NaN.
std::string literal(float value, KernelText& text);
/// The element of a constant of one element, as f32 or i32; the number must fit 32 bits.
std::string literal(const Tensor& constant, KernelText& text);
/// The number as u32, modulo 2^32.
std::string index_literal(std::int64_t value);

}  // namespace muster::graph
