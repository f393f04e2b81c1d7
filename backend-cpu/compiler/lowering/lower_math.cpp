#include <string>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/lowering/lane_number.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_math.hpp>
#include <muster/backend-cpu/compiler/lowering/short_math.hpp>
#include <muster/foundation/expand/math_function.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/math/exp_log.hpp>

namespace muster::cpu {
namespace {

using math::polynomial;

// Shorter versions of foundation/math's functions, for machines with a fused multiply-add and floor().
// Results below 2^-126 may be zero, as WGSL allows. Coefficients: minimax by Remez' algorithm, rounded to f32
// one after the other from the lowest power on, with the rest fitted again each time. Comments give the
// interval and the largest relative error.

LaneFloat fma(LaneFloat a, LaneFloat b, LaneFloat c) {
    Builder& builder = *a.builder;
    return {&builder,
            builder.CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()}, {a.value, b.value, c.value})};
}
LaneFloat fma(LaneFloat a, float b, LaneFloat c) { return fma(a, detail::literal(a, b), c); }
LaneFloat floor(LaneFloat x) { return detail::unary(llvm::Intrinsic::floor, x); }

// Keeps NaN.
LaneFloat clamp(LaneFloat x, float low, float high) {
    x = select(x, low, x < low);
    return select(x, high, x > high);
}

// 2^(whole + rest) for whole in [-127, 128], whose ends give 0 and infinity, and rest in [0, 1].
LaneFloat power_of_two(LaneFloat whole, LaneFloat rest) {
    // 2^x on [0, 1]: 2^-23.5
    const LaneFloat p = polynomial(rest, 1.0f, 0x1.62e4bap-1f, 0x1.ebdb68p-3f, 0x1.c91c38p-5f, 0x1.277b22p-7f,
                                   0x1.e96cfp-10f);
    // The sum's last bit is worth 1, so its low bits are the biased exponent.
    return p * float_of(bits_of(whole + (0x1p23f + 127.0f)) << 23u);
}

LaneFloat exp2(LaneFloat x, LaneFloat, const LowerOptions&) {
    x = clamp(x, -127.0f, 128.0f);
    const LaneFloat whole = floor(x);
    return power_of_two(whole, x - whole);
}

LaneFloat exp(LaneFloat x, LaneFloat, const LowerOptions&) {
    x = clamp(x, -88.0f, 89.0f);
    const LaneFloat whole = floor(x * math::log2_e<LaneFloat>);
    const LaneFloat near = fma(x, math::log2_e<LaneFloat>, -whole);
    constexpr float log2_e_low = 0x1.4ae0cp-26f;  // log2(e) - log2_e
    return power_of_two(whole, fma(x, log2_e_low, near));
}

// x = m * 2^exponent with 3/4 <= m < 3/2; above_one is m - 1.
struct Parts {
    LaneFloat above_one, exponent;
};

// Precondition: x is positive and normal.
Parts split_normal(LaneFloat x) {
    Builder& builder = *x.builder;
    const LaneBits bits = bits_of(x) - 0x3f400000u;  // minus the bits of 3/4
    const LaneFloat m = float_of(bits_of(x) - (bits & 0xff800000u));
    llvm::Value* exponent = builder.CreateAShr(bits.value, 23);
    return {m - 1.0f, {&builder, builder.CreateSIToFP(exponent, x.value->getType())}};
}

// AVX-512 has instructions for both parts, which make logarithms right for other values too: zero's exponent
// is -infinity, infinity's is infinity, and m of a negative number is NaN.
bool has_split(LaneFloat x, const LowerOptions& options) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x.value->getType());
    return options.machine.vector_bytes == 64 && vector != nullptr && vector->getNumElements() == 16;
}
Parts split_any(LaneFloat x) {
    Builder& builder = *x.builder;
    llvm::Value* none = llvm::PoisonValue::get(x.value->getType());
    llvm::Value *all = builder.getInt16(0xffff), *default_rounding = builder.getInt32(4);
    llvm::Value* from_three_quarters_negative_nan = builder.getInt32(0b1011);
    const LaneFloat m{&builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getmant_ps_512, {},
                                                        {x.value, from_three_quarters_negative_nan, none, all,
                                                         default_rounding})};
    const LaneFloat exponent{&builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getexp_ps_512,
                                                               {}, {x.value, none, all, default_rounding})};
    return {m - 1.0f, select(exponent, exponent + 1.0f, m < 1.0f)};
}

LaneFloat logarithm(LaneFloat x, const LowerOptions& options, LaneFloat (*of_parts)(Parts)) {
    if (has_split(x, options)) return of_parts(split_any(x));
    return math::or_special_logarithm(of_parts(split_normal(x)), x);
}

LaneFloat log(LaneFloat x, LaneFloat, const LowerOptions& options) {
    return logarithm(x, options, [](Parts parts) {
        // log(1 + x) on [-1/4, 1/2], as x + x^2 q: 2^-24.7
        const LaneFloat f = parts.above_one;
        const LaneFloat q = polynomial(f, -0x1.000014p-1f, 0x1.5555e6p-2f, -0x1.ffdd9ep-3f, 0x1.99216ep-3f,
                                       -0x1.5887f8p-3f, 0x1.32dec2p-3f, -0x1.ee4732p-4f, 0x1.bb73d4p-5f);
        constexpr float ln2 = 0x1.62e43p-1f;
        return fma(parts.exponent, ln2, (f * f) * q + f);
    });
}

LaneFloat log2(LaneFloat x, LaneFloat, const LowerOptions& options) {
    return logarithm(x, options, [](Parts parts) {
        // log2(1 + x) on [-1/4, 1/2], as x/ln(2) + x^2 q: 2^-24.9
        const LaneFloat f = parts.above_one;
        const LaneFloat q = polynomial(f, -0x1.715494p-1f, 0x1.ec716ep-2f, -0x1.713baap-2f, 0x1.272016p-2f,
                                       -0x1.f10daap-3f, 0x1.bab856p-3f, -0x1.648bdap-3f, 0x1.3fe222p-4f);
        return parts.exponent + ((f * f) * q + f * math::log2_e<LaneFloat>);
    });
}

LaneFloat pow(LaneFloat x, LaneFloat y, const LowerOptions& options) {
    return exp2(y * log2(x, x, options), y, options);
}

// sin(x - n*pi) for x - n*pi in [-pi/2, pi/2]: sin x without the sign that n gives it. The absolute error is
// below 2^-22 for |x| up to 2^20; for far larger x, whose n is wrong, the result stays in [-1, 1].
LaneFloat unsigned_sin(LaneFloat x, LaneFloat n) {
    const LaneFloat near = fma(n, -0x1.921fb6p1f, x);
    const LaneFloat r = clamp(fma(n, 0x1.777a5cp-24f, near), -1.6f, 1.6f);
    const LaneFloat square = r * r;
    // sin on [0, pi/2]: 2^-27.3
    const LaneFloat p =
        polynomial(square, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70eep-13f, 0x1.5dc8c4p-19f);
    return (r * square) * p + r;
}
constexpr float one_over_pi = 0x1.45f306p-2f;

LaneFloat sin(LaneFloat x, LaneFloat, const LowerOptions&) {
    constexpr float shifter = 0x1.8p23f;  // the sum's low bits are those of n
    const LaneFloat sum = fma(x, one_over_pi, detail::literal(x, shifter));
    return float_of(bits_of(unsigned_sin(x, sum - shifter)) ^ (bits_of(sum) << 31u));
}

// cos x = -sin(x - pi/2) = sin(x + pi/2): n is a half-integer.
LaneFloat cos(LaneFloat x, LaneFloat, const LowerOptions&) {
    constexpr float shifter = 0x1.8p23f + 1.0f;  // odd, for the minus sign
    const LaneFloat sum = fma(x, one_over_pi, detail::literal(x, -0.5f)) + shifter;
    return float_of(bits_of(unsigned_sin(x, (sum - shifter) + 0.5f)) ^ (bits_of(sum) << 31u));
}

LaneFloat tan(LaneFloat x, LaneFloat, const LowerOptions&) {
    constexpr float shifter = 0x1.8p23f;
    const LaneFloat sum = fma(x, 2 * one_over_pi, detail::literal(x, shifter));
    const LaneFloat n = sum - shifter;
    const LaneFloat r = clamp(fma(n, 0x1.777a5cp-25f, fma(n, -0x1.921fb6p0f, x)), -0.8f, 0.8f);
    const LaneFloat square = r * r;
    const LaneFloat s = short_math::sin_core(r, square), c = short_math::cos_core(square);
    const LaneBool odd = (bits_of(sum) & 1u) != 0u;
    return select(s, c, odd) / select(c, -s, odd);
}

LaneFloat inverse_sqrt(LaneFloat x, LaneFloat, const LowerOptions&) { return 1.0f / sqrt(x); }

// Functions without options.
template <auto function>
LaneFloat shared(LaneFloat a, LaneFloat, const LowerOptions&) {
    return function(a);
}
LaneFloat atan2(LaneFloat y, LaneFloat x, const LowerOptions&) { return short_math::atan2(y, x); }

struct FunctionRow {
    LaneFloat (*emit)(LaneFloat, LaneFloat, const LowerOptions&) = nullptr;
    /// True if its division may be a multiplication by an estimated reciprocal (prepare_function). False if
    /// the divisor may be zero or infinite and that result matters.
    bool reciprocal = false;
    bool operator==(const FunctionRow&) const = default;
};
using FunctionTable = std::array<FunctionRow, op_count>;

static_assert(math::Number<LaneFloat>);
constexpr FunctionTable plain = [] {
    FunctionTable table{};
    const auto row = [&](Op op) -> FunctionRow& { return table[static_cast<std::size_t>(op)]; };
    row(Op::exp) = {shared<math::exp<LaneFloat>>};
    row(Op::exp2) = {shared<math::exp2<LaneFloat>>};
    row(Op::log) = {shared<math::log<LaneFloat>>};
    row(Op::log2) = {shared<math::log2<LaneFloat>>};
    row(Op::sin) = {shared<short_math::sin>};
    row(Op::cos) = {shared<short_math::cos>};
    row(Op::tan) = {shared<short_math::tan>, true};
    row(Op::asin) = {shared<short_math::asin>};
    row(Op::acos) = {shared<short_math::acos>};
    row(Op::atan) = {shared<short_math::atan>};
    row(Op::atan2) = {atan2};
    row(Op::sinh) = {shared<short_math::sinh>};
    row(Op::cosh) = {shared<short_math::cosh>};
    row(Op::tanh) = {shared<short_math::tanh>, true};
    row(Op::asinh) = {shared<short_math::asinh>};
    row(Op::acosh) = {shared<short_math::acosh>};
    row(Op::atanh) = {shared<short_math::atanh>};
    // WGSL defines pow as exp2(y * log2(x)), so it is NaN for x < 0.
    row(Op::pow) = {
        [](LaneFloat x, LaneFloat y, const LowerOptions&) { return math::exp2(y * math::log2(x)); }};
    row(Op::inverse_sqrt) = {inverse_sqrt, true};
    return table;
}();
static_assert(covers(plain, {OpKind::math}));
constexpr FunctionTable with_fma = [] {
    FunctionTable table = plain;
    const auto row = [&](Op op) -> FunctionRow& { return table[static_cast<std::size_t>(op)]; };
    row(Op::exp) = {exp};
    row(Op::exp2) = {exp2};
    row(Op::log) = {log};
    row(Op::log2) = {log2};
    row(Op::pow) = {pow};
    row(Op::sin) = {sin};
    row(Op::cos) = {cos};
    row(Op::tan) = {tan, true};
    return table;
}();

llvm::Value* fast_body(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands) {
    const bool fused = options.machine.has_fma && options.machine.has_rounding;
    const FunctionRow& row = (fused ? with_fma : plain)[static_cast<std::size_t>(op)];
    // The order of operations must be kept, but each contraction helps.
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    flags.setAllowReciprocal(row.reciprocal);
    const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    builder.setFastMathFlags(flags);
    return row.emit({&builder, operands.front()}, {&builder, operands.back()}, options).value;
}

/// Emits the operations of math_function() on scalars or vectors.
class ExactBody {
  public:
    ExactBody(Builder& builder, const LowerOptions& options, const Program& function,
              std::span<llvm::Value* const> operands)
        : builder_(builder), options_(options), function_(function), operands_(operands) {}

    llvm::Value* emit() {
        values_.resize(function_.node_count());
        for (const NodeId node : function_.block(function_.body())) {
            const Op op = function_.node(node).op;
            if (op == Op::store) return value(function_.operand(node, 1));
            values_[node.index] = op == Op::load ? operand(node) : operation(node);
        }
        return nullptr;
    }

  private:
    llvm::Value* operand(NodeId load) const {
        return operands_[function_.variable(function_.root_variable(function_.operand(load, 0))).binding];
    }
    llvm::Value* operation(NodeId node) {
        std::vector<llvm::Value*> given;
        for (const NodeId one : function_.operands(node)) given.push_back(value(one));
        return emit_operation(builder_, options_, function_.node(node).op, scalar(function_.operand(node, 0)),
                              scalar(node), given);
    }
    llvm::Value* value(NodeId node) {
        if (function_.node(node).op != Op::constant) return values_[node.index];
        const auto words = function_.constant_words(node);
        const std::uint32_t word = words.empty() ? 0 : words[0];
        llvm::Type* shape = operands_[0]->getType();
        if (scalar(node) == Scalar::f32)
            return llvm::ConstantFP::get(shape,
                                         llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, word)));
        const bool is_bool = scalar(node) == Scalar::boolean;
        return llvm::ConstantInt::get(
            shape->getWithNewType(is_bool ? builder_.getInt1Ty() : builder_.getInt32Ty()), word);
    }
    Scalar scalar(NodeId node) const { return function_.types()[function_.type(node)].scalar; }

    Builder& builder_;
    const LowerOptions& options_;
    const Program& function_;
    std::span<llvm::Value* const> operands_;
    std::vector<llvm::Value*> values_;  // by node
};

constexpr std::string_view prefix = "muster_math_";

llvm::Function* declare(llvm::Module& module, const std::string& name, llvm::Type* type,
                        std::size_t operands) {
    const std::vector<llvm::Type*> parameters(operands, type);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false),
                                            llvm::GlobalValue::InternalLinkage, name, module);
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::Speculatable);
    return function;
}

llvm::Function* define(llvm::Module& module, const std::string& name, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands) {
    llvm::Function* function = declare(module, name, operands[0]->getType(), operands.size());
    prepare_function(*function, options);
    Builder builder(llvm::BasicBlock::Create(module.getContext(), "", function));
    std::vector<llvm::Value*> parameters;
    for (llvm::Argument& parameter : function->args()) parameters.push_back(&parameter);
    if (options.options.precision == Precision::fast) {
        builder.CreateRet(fast_body(builder, options, op, parameters));
    } else {
        const Program body = math_function(op, 1, OpSet::all_exact());
        builder.CreateRet(ExactBody(builder, options, body, parameters).emit());
    }
    return function;
}

}  // namespace

llvm::Value* emit_math(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands) {
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
    const std::string name =
        fmt::format("{}{}_{}", prefix, info(op).name, vector ? vector->getNumElements() : 1);
    llvm::Function* function = module.getFunction(name);
    if (!function) function = define(module, name, options, op, operands);
    return builder.CreateCall(function, llvm::ArrayRef(operands.data(), operands.size()));
}

bool is_math_function(const llvm::Function& function) {
    return function.getName().starts_with(llvm::StringRef(prefix.data(), prefix.size()));
}

}  // namespace muster::cpu
