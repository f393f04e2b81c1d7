// Every componentwise operation, on lanes of every machine at hand, is compared with semantics.hpp, bit for
// bit.
#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <muster/foundation/semantics/scalar_operations.hpp>

#include "lane_functions.hpp"

using namespace muster;
using namespace muster::test;
using scalar_operations::from_word;
using scalar_operations::scalar_of;
using scalar_operations::slot;
using scalar_operations::to_word;

namespace {

using Operands = std::array<std::uint32_t, 3>;
using Oracle = std::uint32_t (*)(const Operands&);

struct Definition {
    LaneFunction function;
    Oracle oracle;
};

// The functions of semantics.hpp on words, from the list that also makes the interpreter.
struct Definitions {
    std::array<std::array<Oracle, scalar_count>, op_count> oracles{};
    std::array<std::array<bool, scalar_count>, op_count> compares{};
    std::array<std::uint8_t, op_count> operands{};

    template <class T>
    consteval void enter(Op op, std::uint8_t count, Oracle oracle) {
        oracles[slot(op)][slot(scalar_of<T>)] = oracle;
        operands[slot(op)] = count;
    }
    // None of scalars of 64 bits, which aren't lanes of one word: the conformance cases compare those.
    template <auto F, class T, std::size_t count>
    static consteval Oracle oracle_of() {
        if constexpr (sizeof(T) == 8)
            return nullptr;
        else if constexpr (count == 1)
            return [](const Operands& a) { return to_word(F(from_word<T>(a[0]))); };
        else if constexpr (count == 2)
            return [](const Operands& a) { return to_word(F(from_word<T>(a[0]), from_word<T>(a[1]))); };
        else
            return [](const Operands& a) {
                return to_word(F(from_word<T>(a[0]), from_word<T>(a[1]), from_word<T>(a[2])));
            };
    }
    template <auto F, class T>
    static consteval Oracle oracle_of_shift() {
        if constexpr (sizeof(T) == 8)
            return nullptr;
        else
            return [](const Operands& a) { return to_word(F(from_word<T>(a[0]), a[1])); };
    }
    template <auto F, class... T>
    consteval void unary(Op op) {
        (enter<T>(op, 1, oracle_of<F, T, 1>()), ...);
    }
    template <auto F, class... T>
    consteval void move(Op op) {
        unary<F, T...>(op);
    }
    template <auto F, class... T>
    consteval void binary(Op op) {
        (enter<T>(op, 2, oracle_of<F, T, 2>()), ...);
    }
    template <auto F, class... T>
    consteval void comparison(Op op) {
        binary<F, T...>(op);
        ((compares[slot(op)][slot(scalar_of<T>)] = true), ...);
    }
    template <auto F, class... T>
    consteval void shift(Op op) {
        (enter<T>(op, 2, oracle_of_shift<F, T>()), ...);
    }
    template <auto F, class... T>
    consteval void ternary(Op op) {
        (enter<T>(op, 3, oracle_of<F, T, 3>()), ...);
    }
};
constexpr Definitions listed = scalar_operations::make_table<Definitions>();

template <auto F, class T>
std::uint32_t on_words(const Operands& a) {
    return to_word(F(from_word<T>(a[0])));
}

std::vector<Definition> conversions() {
    namespace s = semantics;
    using enum Scalar;
    const Oracle same = [](const Operands& a) { return a[0]; };
    std::vector<Definition> all;
    const auto row = [&](Op op, Scalar from, Scalar to, Oracle oracle) {
        all.push_back({{.op = op, .from = from, .to = to, .operands = 1}, oracle});
    };
    row(Op::convert, f32, i32, on_words<[](float x) { return s::to_i32(x); }, float>);
    row(Op::convert, f32, u32, on_words<[](float x) { return s::to_u32(x); }, float>);
    row(Op::convert, f32, boolean, on_words<[](float x) { return s::to_bool(x); }, float>);
    row(Op::convert, i32, f32, on_words<[](std::int32_t x) { return s::to_f32(x); }, std::int32_t>);
    row(Op::convert, u32, f32, on_words<[](std::uint32_t x) { return s::to_f32(x); }, std::uint32_t>);
    row(Op::convert, boolean, f32, on_words<[](bool x) { return s::to_f32(x); }, bool>);
    row(Op::convert, f32, Scalar::f16, on_words<[](float x) { return s::to_f16(x); }, float>);
    row(Op::convert, Scalar::f16, f32, on_words<[](muster::f16 x) { return s::to_f32(x); }, muster::f16>);
    row(Op::convert, i32, i8,
        on_words<[](std::int32_t x) { return std::int32_t{std::int8_t(x)}; }, std::int32_t>);
    row(Op::convert, i32, i16,
        on_words<[](std::int32_t x) { return std::int32_t{std::int16_t(x)}; }, std::int32_t>);
    row(Op::convert, u32, u8, on_words<[](std::uint32_t x) { return x & 0xffu; }, std::uint32_t>);
    row(Op::convert, u32, u16, on_words<[](std::uint32_t x) { return x & 0xffffu; }, std::uint32_t>);
    for (const Scalar integer : {i32, u32}) {
        row(Op::convert, integer, boolean,
            on_words<[](std::uint32_t x) { return s::to_bool(x); }, std::uint32_t>);
        row(Op::convert, boolean, integer, same);
        row(Op::convert, integer, integer == i32 ? u32 : i32, same);
        row(Op::bitcast, integer, f32, same);
        row(Op::bitcast, f32, integer, on_words<[](float x) { return s::to_bits(x); }, float>);
    }
    return all;
}

std::vector<Definition> definitions() {
    std::vector<Definition> all = conversions();
    for (std::size_t op = 0; op < op_count; ++op)
        for (std::size_t scalar = 0; scalar < scalar_count; ++scalar) {
            const auto from = static_cast<Scalar>(scalar);
            if (from == Scalar::f16) continue;  // f16 is only converted; expand() writes the rest with f32
            if (const Oracle oracle = listed.oracles[op][scalar])
                all.push_back({{.op = static_cast<Op>(op),
                                .from = from,
                                .to = listed.compares[op][scalar] ? Scalar::boolean : from,
                                .operands = listed.operands[op]},
                               oracle});
        }
    for (const Scalar scalar : {Scalar::boolean, Scalar::i32, Scalar::u32, Scalar::f32})
        all.push_back({{.op = Op::select, .from = scalar, .to = scalar, .operands = 3},
                       [](const Operands& a) { return a[2] != 0 ? a[1] : a[0]; }});
    return all;
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

std::vector<std::uint32_t> edges(Scalar scalar) {
    if (scalar == Scalar::boolean) return {0, 1};
    if (scalar == Scalar::f16)
        return {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00, 0x7c01, 0x8000, 0x83ff, 0xfc00};
    if (scalar != Scalar::f32)
        return {0,          1,          2,          3,          7,          10,
                31,         32,         33,         63,         64,         255,
                0x10000,    0xffffff,   0x1000000,  0x1000001,  0x7ffffffe, 0x7fffffff,
                0x80000000, 0x80000001, 0xfffffff0, 0xfffffffe, 0xffffffff, 0xcccccccd};
    std::vector<std::uint32_t> all{0x7fc00000, 0x7f800001, 0x7fffffff, 1, 0x7fffff, 0x800000, 0x800001};
    for (const float x : {0.0f,           0.25f,
                          0.5f,           0x1.fffffep-2f,
                          1.0f,           1.5f,
                          2.0f,           2.5f,
                          3.0f,           7.0f,
                          0x1.fffffep22f, 0x1p23f,
                          8388609.0f,     0x1p24f,
                          0x1p30f,        2147483520.0f,
                          0x1p31f,        4294967040.0f,
                          0x1p32f,        0x1p60f,
                          0x1p-60f,       0x1.fffffep127f,
                          HUGE_VALF,      1e10f,
                          4194304.5f,     4194303.5f})
        all.push_back(bits(x));
    for (std::size_t i = 0, count = all.size(); i < count; ++i) all.push_back(all[i] | 0x80000000u);
    return all;
}

// Every combination of edge values, then random words, half of them edge values; for f32 also values of
// moderate size.
std::vector<Operands> inputs(const LaneFunction& function, std::uint32_t width) {
    std::mt19937 generator(static_cast<std::uint32_t>(slot(function.op)) * 17 + 3);
    const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
    const std::vector<std::uint32_t> edge = edges(function.from);
    std::vector<Operands> all;
    const auto any = [&](Scalar scalar) -> std::uint32_t {
        if (scalar == Scalar::boolean) return random() & 1;
        if (random() & 1) return edge[random() % edge.size()];
        if (scalar == Scalar::f16) return random() & 0xffff;
        if (scalar != Scalar::f32) return random() >> (random() % 32);
        return random() & 1 ? random() : (random() & 0x80ffffffu) + 0x3a000000u;
    };
    if (function.operands < 3)
        for (const std::uint32_t x : edge)
            for (const std::uint32_t y : edge) all.push_back({x, y, 0});
    for (std::size_t i = 0; i < 6000; ++i)
        all.push_back({any(function.from), any(function.from),
                       any(function.op == Op::select ? Scalar::boolean : function.from)});
    all.resize((all.size() + width - 1) / width * width);
    if (function.constant)
        for (Operands& operands : all) operands[function.operands - 1] = *function.constant;
    return all;
}

bool same(Scalar scalar, std::uint32_t a, std::uint32_t b) {
    if (a == b) return true;
    if (scalar == Scalar::f16)
        return semantics::is_nan(semantics::low_half(a)) && semantics::is_nan(semantics::low_half(b)) &&
               (a | b) >> 16 == 0;
    return scalar == Scalar::f32 && semantics::is_nan(std::bit_cast<float>(a)) &&
           semantics::is_nan(std::bit_cast<float>(b));
}

void compare(const LaneFunctions& functions, std::size_t number, const Definition& definition,
             const std::string& machine) {
    const LaneFunction& function = definition.function;
    const std::vector<Operands> all = inputs(function, functions.width());
    std::array<std::vector<std::uint32_t>, 3> columns;
    for (const Operands& operands : all)
        for (std::size_t k = 0; k < 3; ++k) columns[k].push_back(operands[k]);
    std::vector<std::uint32_t> out(all.size());
    for (std::size_t i = 0; i < all.size(); i += functions.width())
        functions.call(number, {&columns[0][i], &columns[1][i], &columns[2][i]}, &out[i]);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const std::uint32_t expected = definition.oracle(all[i]); !same(function.to, out[i], expected)) {
            FAIL_CHECK(fmt::format(
                "{} of {} to {} on {} x {}: ({:08x}, {:08x}, {:08x}) gives {:08x}, not {:08x}",
                info(function.op).name, scalars[slot(function.from)].name, scalars[slot(function.to)].name,
                machine, functions.width(), all[i][0], all[i][1], all[i][2], out[i], expected));
            return;
        }
}

void check_all(const std::vector<Definition>& all, const Machine& machine, std::uint32_t width,
               Precision precision = Precision::exact) {
    LaneFunctions functions(machine, width, precision);
    for (const Definition& definition : all) functions.add(definition.function);
    functions.compile();
    for (std::size_t i = 0; i < all.size(); ++i) compare(functions, i, all[i], machine.cpu);
}

}  // namespace

TEST_CASE("exact operations on lanes have the bits of their definition") {
    for (const Machine& machine : machines()) {
        std::vector<Definition> all = definitions();
        if (!machine.traits.has_fma)
            std::erase_if(all, [](const Definition& d) { return d.function.op == Op::fma; });
        for (const std::uint32_t width : {1u, 4u, 16u}) check_all(all, machine, width);
    }
}

TEST_CASE("a constant operand changes nothing but the code") {
    std::vector<Definition> all;
    for (const Definition& definition : definitions()) {
        if (definition.function.operands != 2) continue;
        for (const std::uint32_t constant : edges(definition.function.from)) {
            all.push_back(definition);
            all.back().function.constant = constant;
        }
    }
    const Machine best = machines().back();
    check_all(all, best, 1);
    check_all(all, best, best.traits.vector_bytes / 4);
}

TEST_CASE("fast mode changes nothing about integers, and no conversion but a NaN's bits") {
    std::vector<Definition> all = definitions();
    std::erase_if(all, [](const Definition& d) {
        return d.function.from == Scalar::f32 && (d.function.op != Op::convert);
    });
    for (const Machine& machine : machines()) check_all(all, machine, 16, Precision::fast);
}

TEST_CASE("a sum with a product is contracted in fast mode alone, where the machine has the instruction") {
    llvm::LLVMContext context;
    llvm::Module module("sum", context);
    cpu::Builder builder(context);
    llvm::Type* f32 = builder.getFloatTy();
    auto* function = llvm::Function::Create(llvm::FunctionType::get(f32, {f32, f32, f32}, false),
                                            llvm::Function::ExternalLinkage, "f", module);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
    const auto is_fused = [&](Op sum, Precision precision, bool has_fma, bool product_first) {
        const cpu::LowerOptions options{.machine = {.has_fma = has_fma}, .options = {.precision = precision}};
        const auto emit = [&](Op op, llvm::Value* a, llvm::Value* b) {
            return cpu::emit_operation(builder, options, op, Scalar::f32, Scalar::f32, std::array{a, b});
        };
        llvm::Value* product = emit(Op::mul, function->getArg(0), function->getArg(1));
        llvm::Value* other = function->getArg(2);
        llvm::Value* result = product_first ? emit(sum, product, other) : emit(sum, other, product);
        const auto* call = llvm::dyn_cast<llvm::CallInst>(result);
        return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fma;
    };
    for (const Op sum : {Op::add, Op::sub})
        for (const bool product_first : {true, false}) {
            CHECK(is_fused(sum, Precision::fast, true, product_first));
            CHECK_FALSE(is_fused(sum, Precision::fast, false, product_first));
            CHECK_FALSE(is_fused(sum, Precision::exact, true, product_first));
        }
}
