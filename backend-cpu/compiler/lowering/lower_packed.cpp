#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <muster/backend-cpu/compiler/lowering/lower_packed.hpp>

namespace muster::cpu {
namespace {

using llvm::Value;

// The product of one register of lanes, or of part of one: 4, 8 or 16 lanes.
class Product {
  public:
    Product(Builder& builder, bool is_signed, Value* a, Value* b)
        : b_(builder),
          is_signed_(is_signed),
          left_(a),
          right_(b),
          lanes_(llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements()) {}

    Value* by(PackedProducts instructions) const {
        switch (instructions) {
            case PackedProducts::none: break;
            case PackedProducts::pairs: return pairs();
            case PackedProducts::mixed: return mixed();
            case PackedProducts::widening: return widening();
            case PackedProducts::uniform: return uniform();
        }
        return nullptr;
    }

  private:
    Value* words(std::uint32_t each) const { return llvm::ConstantInt::get(left_->getType(), each); }
    Value* as(unsigned bits, Value* x) const {
        return b_.CreateBitCast(x, llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes_ * 32 / bits));
    }
    llvm::Intrinsic::ID by_lanes(std::array<llvm::Intrinsic::ID, 3> ids) const {
        return ids[lanes_ == 16 ? 2 : lanes_ == 8 ? 1 : 0];
    }

    // The bytes at even and at odd positions, each as 16 bits: signed ones at even positions
    // by a product with 1 and 0.
    std::array<Value*, 2> halves(Value* bytes) const {
        namespace id = llvm::Intrinsic;
        Value* x = as(16, bytes);
        const auto number = [&](std::uint64_t each) { return llvm::ConstantInt::get(x->getType(), each); };
        if (!is_signed_) return {b_.CreateAnd(x, number(0xff)), b_.CreateLShr(x, number(8))};
        const auto products = by_lanes(
            {id::x86_ssse3_pmadd_ub_sw_128, id::x86_avx2_pmadd_ub_sw, id::x86_avx512_pmaddubs_w_512});
        Value* even = b_.CreateIntrinsic(products, {}, {as(8, number(1)), as(8, bytes)});
        return {even, b_.CreateAShr(x, number(8))};
    }

    Value* pairs() const {
        namespace id = llvm::Intrinsic;
        const auto multiply =
            by_lanes({id::x86_sse2_pmadd_wd, id::x86_avx2_pmadd_wd, id::x86_avx512_pmaddw_d_512});
        const auto a = halves(left_), b = halves(right_);
        return b_.CreateAdd(b_.CreateIntrinsic(multiply, {}, {a[0], b[0]}),
                            b_.CreateIntrinsic(multiply, {}, {a[1], b[1]}));
    }

    // The instruction takes unsigned bytes on the left and signed ones on the right. x ^ 0x80 is x - 128 of
    // an unsigned x, and x + 128 of a signed one; what that adds to the sum is subtracted from the value that
    // the products are added to.
    Value* mixed() const {
        namespace id = llvm::Intrinsic;
        const auto add_products =
            by_lanes({id::x86_avx512_vpdpbusd_128, id::x86_avx512_vpdpbusd_256, id::x86_avx512_vpdpbusd_512});
        const auto onto = [&](Value* sum, Value* a, Value* b) {
            return b_.CreateIntrinsic(add_products, {}, {sum, a, b});
        };
        Value* flipped = words(0x80808080u);
        if (is_signed_) {
            Value* added = onto(words(0), flipped, right_);
            return onto(b_.CreateNeg(added), b_.CreateXor(left_, flipped), right_);
        }
        Value* taken = b_.CreateShl(onto(words(0), left_, words(0x01010101u)), words(7));
        return onto(taken, left_, b_.CreateXor(right_, flipped));
    }

    Value* widening() const {
        namespace id = llvm::Intrinsic;
        const auto wide = [&](Value* x) {
            Value* bytes = as(8, x);
            auto* type = llvm::FixedVectorType::get(b_.getInt16Ty(), lanes_ * 4);
            return is_signed_ ? b_.CreateSExt(bytes, type) : b_.CreateZExt(bytes, type);
        };
        Value* products = b_.CreateMul(wide(left_), wide(right_));
        const auto pair_sums = [&](int first) {
            std::array<int, 8> which{};
            std::iota(which.begin(), which.end(), first);
            return b_.CreateIntrinsic(is_signed_ ? id::aarch64_neon_saddlp : id::aarch64_neon_uaddlp,
                                      {left_->getType(), llvm::FixedVectorType::get(b_.getInt16Ty(), 8)},
                                      {b_.CreateShuffleVector(products, which)});
        };
        return b_.CreateIntrinsic(id::aarch64_neon_addp, {left_->getType()}, {pair_sums(0), pair_sums(8)});
    }

    Value* uniform() const {
        namespace id = llvm::Intrinsic;
        Value* a = as(8, left_);
        return b_.CreateIntrinsic(is_signed_ ? id::aarch64_neon_sdot : id::aarch64_neon_udot,
                                  {left_->getType(), a->getType()}, {words(0), a, as(8, right_)});
    }

    Builder& b_;
    bool is_signed_;
    Value *left_, *right_;
    unsigned lanes_;
};

// The product by shifts and multiplications, for scalars and vectors of less than a register.
Value* byte_by_byte(Builder& b, bool is_signed, Value* left, Value* right) {
    llvm::Type* type = left->getType();
    const auto byte = [&](Value* x, std::uint32_t which) {
        Value* top = b.CreateShl(x, llvm::ConstantInt::get(type, 24 - 8 * which));
        Value* down = llvm::ConstantInt::get(type, 24);
        return is_signed ? b.CreateAShr(top, down) : b.CreateLShr(top, down);
    };
    Value* sum = b.CreateMul(byte(left, 0), byte(right, 0));
    for (std::uint32_t i = 1; i < 4; ++i) sum = b.CreateAdd(sum, b.CreateMul(byte(left, i), byte(right, i)));
    return sum;
}

}  // namespace

Value* packed_product(Builder& builder, PackedProducts instructions, std::uint32_t vector_bytes,
                      bool is_signed, Value* a, Value* b) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
    if (instructions == PackedProducts::none || vector == nullptr || vector->getNumElements() < 4)
        return byte_by_byte(builder, is_signed, a, b);
    const std::uint32_t lanes = vector->getNumElements(), at_once = std::min(lanes, vector_bytes / 4);
    std::vector<Value*> parts;
    for (std::uint32_t first = 0; first < lanes; first += at_once) {
        std::vector<int> which(at_once);
        std::iota(which.begin(), which.end(), static_cast<int>(first));
        const auto part = [&](Value* x) {
            return at_once == lanes ? x : builder.CreateShuffleVector(x, which);
        };
        parts.push_back(Product(builder, is_signed, part(a), part(b)).by(instructions));
    }
    return llvm::concatenateVectors(builder, parts);
}

}  // namespace muster::cpu
