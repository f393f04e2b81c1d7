// view.hpp - where references and pointers point, memory of a buffer among it. Internal
// to foundation/wgsl/lower/.
//
// WGSL's buffers are opaque: bufferView makes a pointer that sees a part of one as some type. In the IR, a
// buffer is an array of words, and a view of it exists only while lowering: a load through it is made of
// loads of words, a store of stores of words. Words become atomics in a program that stores one half of a
// word (an f16): another invocation may own the other half.
#pragma once

#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

/// A part of a buffer, seen as a type. It begins at byte base * unit + fixed.
struct View {
    static constexpr std::uint64_t word = 4, half = 2;

    const Global* buffer = nullptr;
    NodeId words;            // a reference to the buffer's variable
    TypeRef type = nullptr;  // what it's seen as; a whole buffer's type has the size that the buffer has here
    NodeId base;             // u32; none: 0
    std::uint64_t unit = word;  // bytes: of a word, or of a half where base may be an odd number of halves
    std::uint64_t fixed = 0;
    /// bool: whether it lies within the buffer, so that accesses have an effect; none: it does.
    NodeId is_valid;
    /// u32: the length of the run-time array that the type is or ends in; 0 if !is_valid.
    NodeId elements;
};

/// The memory that a reference denotes: a place of the IR, or a view.
struct Place {
    Place() = default;
    Place(NodeId node) : node(node) {}
    Place(const View& view) : view(view) {}
    bool is_view() const { return view.buffer != nullptr; }

    NodeId node;
    View view;
};

}  // namespace muster::wgsl
