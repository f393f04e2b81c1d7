// Lowers bufferView and bufferArrayView, and references to parts of what they see.

#include <algorithm>

#include <muster/foundation/wgsl/lower/lowering.hpp>

namespace muster::wgsl {
namespace {

bool is_true(const IrBuilder& ir, NodeId condition) {
    return !condition || (ir.is_constant(condition) && ir.constant_words(condition)[0] != 0);
}

/// Both conditions, where no node is true.
NodeId both(IrBuilder& ir, NodeId a, NodeId b) {
    if (is_true(ir, a)) return is_true(ir, b) ? NodeId{} : b;
    return is_true(ir, b) ? a : ir.binary(Op::bit_and, a, b);
}

NodeId less(IrBuilder& ir, NodeId from, NodeId n) {
    return ir.is_constant(n) && ir.constant_words(n)[0] == 0 ? from : ir.binary(Op::sub, from, n);
}

/// A condition: `bytes` bytes from `start` on end within the buffer's `whole`; no node is true. A buffer
/// sized at run time has a word at least.
NodeId fits(IrBuilder& ir, NodeId start, NodeId bytes, NodeId whole) {
    if (ir.is_constant(start) && ir.is_constant(bytes)) {
        const std::uint64_t end = std::uint64_t{ir.constant_words(start)[0]} + ir.constant_words(bytes)[0];
        if (end <= View::word && !ir.is_constant(whole)) return {};
        if (end > UINT32_MAX) return ir.constant(false);
        return ir.binary(Op::le, ir.constant(static_cast<std::uint32_t>(end)), whole);
    }
    return both(ir, ir.binary(Op::le, bytes, whole),
                ir.binary(Op::le, start, ir.binary(Op::sub, whole, bytes)));
}

}  // namespace

// The length of a buffer in bytes, a u32: of one over 4 GiB, the words beyond aren't seen.
NodeId Lowering::buffer_bytes(const View& buffer) {
    if (buffer.type->count != 0) return ir_.constant(buffer.type->count);
    const NodeId words =
        ir_.binary(Op::min, ir_.array_length(buffer.words), ir_.constant(std::uint32_t{UINT32_MAX / 4}));
    return ir_.binary(Op::shift_left, words, ir_.constant(2u));
}

View Lowering::view(const Expr& e) {
    const View buffer = place(*e.operands[0]).view;
    const NodeId offset = ir_.bitcast(Scalar::u32, value(*e.operands[1]));
    const bool is_sized = e.operands.size() == 3;
    const NodeId size = is_sized ? ir_.bitcast(Scalar::u32, value(*e.operands[2])) : NodeId{};
    ir_.at(e.where);
    View view{
        .buffer = buffer.buffer, .words = buffer.words, .type = e.is_reference ? e.type : e.type->element};

    const auto unaligned = static_cast<std::uint32_t>(view.type->align - 1);
    const NodeId start = ir_.binary(Op::bit_and, offset, ir_.constant(~unaligned));
    if (ir_.is_constant(start)) {
        view.fixed = ir_.constant_words(start)[0];
    } else {
        view.unit = std::min<std::uint64_t>(view.type->align, View::word);
        view.base = ir_.binary(Op::shift_right, start, ir_.constant(view.unit == View::word ? 2u : 1u));
    }
    const NodeId whole = buffer_bytes(buffer);
    const std::uint64_t least = least_bytes(view.type);
    const NodeId bytes = ir_.constant(static_cast<std::uint32_t>(least));
    const TypeRef array = runtime_array(view.type);
    if (least > UINT32_MAX)
        view.is_valid = ir_.constant(false);
    else if (!is_sized)
        view.is_valid = fits(ir_, start, bytes, whole);
    if (array == nullptr) {
        view.is_valid = both(ir_, view.is_valid, {});
        return view;
    }

    const NodeId head = ir_.constant(static_cast<std::uint32_t>(array_offset(view.type)));
    const NodeId stride = ir_.constant(static_cast<std::uint32_t>(array->stride));
    const NodeId seen = is_sized ? size : less(ir_, whole, start);
    view.elements = ir_.binary(Op::div, less(ir_, seen, head), stride);
    if (is_sized) {
        const NodeId end = ir_.binary(Op::add, head, ir_.binary(Op::mul, view.elements, stride));
        view.is_valid = both(ir_, both(ir_, view.is_valid, ir_.binary(Op::le, bytes, size)),
                             fits(ir_, start, end, whole));
    }
    view.is_valid = both(ir_, view.is_valid, {});
    if (view.is_valid) view.elements = ir_.select(ir_.constant(0u), view.elements, view.is_valid);
    return view;
}

View Lowering::member(const View& view, std::uint32_t which) {
    View part = view;
    part.type = view.type->members[which].type;
    part.fixed += view.type->members[which].offset;
    if (!part.type->has_runtime_array) part.elements = {};
    return part;
}

View Lowering::element(const View& view, NodeId index) {
    index = ir_.bitcast(Scalar::u32, index);
    const NodeId length = view.elements ? view.elements : ir_.constant(view.type->count);
    View part = element_at(view, index);
    // A view that isn't valid has no elements.
    part.is_valid = both(ir_, view.elements ? NodeId{} : view.is_valid, ir_.binary(Op::lt, index, length));
    return part;
}

View Lowering::element_at(const View& view, NodeId index) {
    View part = view;
    part.type = view.type->element;
    part.elements = {};
    const std::uint64_t stride = view.type->is_vector() ? part.type->size : view.type->stride;
    if (ir_.is_constant(index)) {
        part.fixed += ir_.constant_words(index)[0] * stride;
        return part;
    }
    if (stride % part.unit != 0) {
        part.unit = View::half;
        if (part.base) part.base = ir_.binary(Op::shift_left, part.base, ir_.constant(1u));
    }
    const auto units = static_cast<std::uint32_t>(stride / part.unit);
    if (units != 1) index = ir_.binary(Op::mul, index, ir_.constant(units));
    part.base = part.base ? ir_.binary(Op::add, part.base, index) : index;
    return part;
}

}  // namespace muster::wgsl
