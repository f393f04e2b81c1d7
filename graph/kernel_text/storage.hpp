// storage.hpp - how the elements of a tensor lie in a buffer on a device.
//
//     Storage image = Storage::row_major(ElementType::f32, {1, 3, 224, 224});
//     image.strides == Sizes{150528, 50176, 224, 1}
//
// A device's buffers hold f32 and f16 as they are, and each element of all other types as an i32: i8 and u8
// widened, bool as 0 or 1, i64 narrowed. Offsets and strides count elements; a stride may be 0 (a broadcast
// axis) or negative. Threads: values.
#pragma once

#include <compare>
#include <cstdint>

#include <muster/graph/ir/element_type.hpp>
#include <muster/graph/ir/sizes.hpp>

namespace muster::graph {

/// The bytes of an element in a device's buffer.
constexpr std::int64_t stored_bytes(ElementType element) { return element == ElementType::f16 ? 2 : 4; }

enum class PlanBufferKind : std::uint8_t {
    slot,      // a buffer that the plan shares among values which don't live at the same time
    constant,  // a constant of the graph as it is; the index is its value's
    packed,    // a constant that a lowering made from others
    scratch,   // memory for the steps of one group
};

/// A buffer of a plan.
struct PlanBuffer {
    PlanBufferKind kind = PlanBufferKind::slot;
    std::uint32_t index = 0;
    auto operator<=>(const PlanBuffer&) const = default;
};

struct Storage {
    PlanBuffer place = {};
    ElementType element = ElementType::f32;
    Sizes sizes, strides;
    std::int64_t offset = 0;
    /// The buffer's first `zero_count` elements are always 0, for reads in the padding.
    std::int64_t zero_count = 0;

    static Storage row_major(ElementType element, Sizes sizes, PlanBuffer place = {});
    /// The same tensor as N, C, ... with the channels innermost. Precondition: a rank of at least 3.
    static Storage channels_last(ElementType element, Sizes sizes, PlanBuffer place = {});

    std::int64_t count() const;
    /// True if the elements lie in row-major order without gaps.
    bool is_row_major() const;
};

}  // namespace muster::graph
