#include <muster/cluster/decomposition/reduction.hpp>

namespace muster::cluster {

std::string_view name(ReductionOp op) {
    switch (op) {
        case ReductionOp::add: return "add";
        case ReductionOp::min: return "min";
        case ReductionOp::max: return "max";
        case ReductionOp::bit_and: return "and";
        case ReductionOp::bit_or: return "or";
        case ReductionOp::bit_xor: return "xor";
    }
    return {};
}

std::uint32_t identity(ReductionOp op, Scalar type) {
    const bool is_signed = type == Scalar::i32;
    switch (op) {
        case ReductionOp::min: return is_signed ? INT32_MAX : UINT32_MAX;
        case ReductionOp::max: return is_signed ? std::uint32_t{1} << 31 : 0;
        case ReductionOp::bit_and: return UINT32_MAX;
        case ReductionOp::add:
        case ReductionOp::bit_or:
        case ReductionOp::bit_xor: break;
    }
    return 0;
}

std::uint32_t combine(ReductionOp op, Scalar type, std::uint32_t a, std::uint32_t b) {
    const bool is_signed = type == Scalar::i32;
    const bool is_less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
    switch (op) {
        case ReductionOp::add: return a + b;
        case ReductionOp::min: return is_less ? a : b;
        case ReductionOp::max: return is_less ? b : a;
        case ReductionOp::bit_and: return a & b;
        case ReductionOp::bit_or: return a | b;
        case ReductionOp::bit_xor: return a ^ b;
    }
    return 0;
}

}  // namespace muster::cluster
