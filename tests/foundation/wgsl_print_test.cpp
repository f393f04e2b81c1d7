#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/ir_builder.hpp>
#include <muster/foundation/wgsl/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

Program finished(IrBuilder&& ir) {
    Result<Program> program = std::move(ir).finish();
    REQUIRE(program.has_value());
    return *program;
}

// The printed text, which reads back as the same program.
std::string printed(const Program& program) {
    const std::string text = wgsl::print(program);
    const Result<Program> again = wgsl::parse(text, {.file = "printed.wgsl"});
    if (!again) {
        FAIL_CHECK(again.error().to_string() << "\n" << text);
        return text;
    }
    const bool same = same_structure(*again, program) && again->fingerprint() == program.fingerprint();
    if (!same) FAIL_CHECK("reads back as\n" << wgsl::print(*again) << "instead of\n" << text);
    CHECK(same);
    CHECK(wgsl::print(*again) == text);
    return text;
}

bool has(const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) MESSAGE(text);
    return found;
}

struct Data {
    IrBuilder ir{"main", {64, 1, 1}};
    VariableId out = ir.variable({.name = "out",
                                  .type = ir.types().runtime_array(f32_type),
                                  .space = AddressSpace::storage,
                                  .access = Access::read_write});
    NodeId index = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    NodeId place = ir.ref_index(ir.ref(out), index);

    NodeId load() { return ir.load(place); }
    void store(NodeId value) { ir.store(place, value); }
};

std::string stored_constant(float value) {
    Data data;
    data.store(data.ir.constant(value));
    const std::string text = printed(finished(std::move(data.ir)));
    const std::size_t begin = text.find("] = ") + 4;
    return text.substr(begin, text.find(';', begin) - begin);
}

}  // namespace

TEST_CASE("a program prints as one let per value") {
    Data data;
    const NodeId twice = data.ir.binary(Op::mul, data.load(), data.ir.constant(2.0f));
    data.ir.name(twice, "twice");
    data.store(twice);
    CHECK(printed(finished(std::move(data.ir))) ==
          R"(@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) global_invocation_id: vec3<u32>) {
    let v1 = global_invocation_id.x;
    let v2 = out[v1];
    let twice = v2 * 2.0f;
    out[v1] = twice;
}
)");
}

TEST_CASE("floats print so that they read back") {
    CHECK(stored_constant(0.0f) == "0.0f");
    CHECK(stored_constant(-0.0f) == "-0.0f");
    CHECK(stored_constant(1.0f) == "1.0f");
    CHECK(stored_constant(0.1f) == "0.1f");
    CHECK(stored_constant(1e10f) == "10000000000.0f");
    CHECK(stored_constant(1e20f) == "1e+20f");
    CHECK(stored_constant(std::numeric_limits<float>::denorm_min()) == "1e-45f");
    CHECK(stored_constant(std::numeric_limits<float>::max()) == "3.4028235e+38f");
    CHECK(stored_constant(INFINITY) == "bitcast<f32>(k1)");
}

TEST_CASE("names are made valid and unique, and hide nothing") {
    Data data;
    NodeId value = data.load();
    for (const char* name :
         {"x", "x", "select", "f32", "if", "a b", "out", "main", "", "__y", "1st", "\xff"}) {
        value = data.ir.binary(Op::add, value, data.load());
        data.ir.name(value, name);
    }
    data.store(value);
    const std::string text = printed(finished(std::move(data.ir)));
    for (const char* line :
         {"let x = ", "let x_1 = ", "let select_1 = ", "let f32_1 = ", "let if_ = ", "let a_b = ",
          "let out_1 = ", "let main_1 = ", "let y = ", "let n1st = ", "let n = "})
        CHECK(has(text, line));
}

TEST_CASE("constants that WGSL would fold or refuse are hidden in lets") {
    Data data;
    const NodeId integer = data.ir.convert(Scalar::u32, data.load());
    const NodeId shifted = data.ir.binary(Op::shift_left, integer, data.ir.constant(40u));
    const NodeId shifted_less = data.ir.binary(Op::shift_left, shifted, data.ir.constant(4u));
    const NodeId divided = data.ir.binary(Op::div, shifted_less, data.ir.constant(0u));
    const NodeId infinite = data.ir.binary(Op::div, data.ir.constant(1.0f), data.ir.constant(0.0f));
    data.store(data.ir.binary(Op::add, data.ir.convert(Scalar::f32, divided), infinite));
    const std::string text = printed(finished(std::move(data.ir)));
    CHECK(has(text, "let k1 = 40u;\n    let v4 = v3 << k1;\n    let v5 = v4 << 4u;"));
    CHECK(has(text, "let k2 = 0u;\n    let v6 = v5 / k2;"));
    CHECK(has(text, "let k3 = 1.0f;\n    let k4 = 0.0f;\n    let v7 = k3 / k4;"));
}

TEST_CASE("structures print with the layout that they have") {
    Data data;
    TypeTable& types = data.ir.types();
    const TypeId inner = types.structure(
        "Inner",
        std::array{MemberDeclaration{"a", f32_type, 0, 20}, MemberDeclaration{"b", type_of(Scalar::f32, 3)}});
    const TypeId outer =
        types.structure("Outer", std::array{MemberDeclaration{"if", f32_type, 64},
                                            MemberDeclaration{"m", types.array(inner, 2), 32},
                                            MemberDeclaration{"last", types.runtime_array(i32_type)}});
    const VariableId in = data.ir.variable(
        {.name = "in", .type = outer, .space = AddressSpace::storage, .access = Access::read, .binding = 1});
    const NodeId member = data.ir.ref_member(data.ir.ref(in), 1);
    const NodeId b = data.ir.ref_member(data.ir.ref_index(member, data.ir.constant(1)), 1);
    data.store(data.ir.load(data.ir.ref_index(b, data.ir.constant(2u))));
    const std::string text = printed(finished(std::move(data.ir)));
    CHECK(has(text, "struct Inner {\n    @size(32) a: f32,\n    b: vec3<f32>,\n}"));
    CHECK(has(text,
              "struct Outer {\n    @align(64) @size(32) if_: f32,\n    m: array<Inner, 2>,\n    last: "
              "array<i32>,\n}"));
    CHECK(has(text, "var<storage, read> in: Outer;"));
    CHECK(has(text, "let k1 = 1i;\n    let v2 = in.m[k1].b[2u];"));
}

TEST_CASE("control prints as the statement that it is") {
    Data data;
    IrBuilder& ir = data.ir;
    const VariableId i = ir.variable({.name = "i", .type = i32_type});
    ir.declare(i, ir.constant(std::numeric_limits<std::int32_t>::min()));
    ir.begin_loop();
    const NodeId now = ir.load(ir.ref(i));
    ir.begin_if(ir.binary(Op::ge, now, ir.constant(4)));
    ir.break_();
    ir.end_if();
    ir.begin_continuing();
    ir.store(ir.ref(i), ir.binary(Op::add, now, ir.constant(-1)));
    ir.break_if(ir.binary(Op::eq, now, ir.constant(7)));
    ir.end_loop();
    ir.begin_scope();
    ir.begin_switch(ir.load(ir.ref(i)));
    ir.begin_case(std::array{1u, 0xffffffffu}, false);
    ir.return_();
    ir.begin_case(std::array{2u}, true);
    ir.end_switch();
    ir.break_();
    ir.end_scope();
    ir.barrier(Op::workgroup_barrier);
    data.store(ir.constant(1.0f));
    CHECK(has(printed(finished(std::move(ir))), R"(
    var i: i32 = i32(-2147483648);
    loop {
        let v2 = i;
        let v3 = v2 >= 4i;
        if v3 {
            break;
        }
        continuing {
            let v4 = v2 + -1i;
            i = v4;
            let v5 = v2 == 7i;
            break if v5;
        }
    }
    switch 0 {
        default {
            let v6 = i;
            switch v6 {
                case 1i, -1i: {
                    return;
                }
                case 2i, default: {
                }
            }
            break;
        }
    }
    workgroupBarrier();
)"));
}

namespace {

// Random programs: every operation, every type, nested control, constants of every kind.
class RandomProgram {
  public:
    explicit RandomProgram(std::uint32_t seed) : random_(seed) {
        TypeTable& types = ir_.types();
        const TypeId inner =
            types.structure("Pair", std::array{MemberDeclaration{"a", f32_type, 16},
                                               MemberDeclaration{"b", type_of(Scalar::u32, 3)}});
        pair_ = inner;
        array_ = types.array(type_of(Scalar::f32, 2), 3);
        const auto variable = [&](const char* name, TypeId type, AddressSpace space,
                                  std::uint32_t binding = 0) {
            return ir_.variable({.name = name, .type = type, .space = space, .group = 1, .binding = binding});
        };
        floats_ = variable("floats", types.runtime_array(f32_type), AddressSpace::storage, 0);
        pairs_ = variable("pairs", types.runtime_array(pair_), AddressSpace::storage, 1);
        counter_ = variable("counter", types.atomic(Scalar::u32), AddressSpace::workgroup);
        local_ = variable("local", type_of(Scalar::f32, 4), AddressSpace::private_);
    }

    Program make() {
        const NodeId id = ir_.builtin(Builtin::global_invocation_id);
        values_ = {id, ir_.extract(id, 1), ir_.builtin(Builtin::local_invocation_index), ir_.load(place())};
        values_.push_back(ir_.load(ir_.ref(local_)));
        values_.push_back(ir_.convert(Scalar::i32, id));
        values_.push_back(ir_.binary(Op::lt, values_[1], values_[2]));
        block(3);
        return finished(std::move(ir_));
    }

  private:
    std::uint32_t below(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }

    NodeId place() { return ir_.ref_index(ir_.ref(floats_), value(below(2) ? u32_type : i32_type)); }

    NodeId constant(TypeId type) {
        static constexpr std::array floats{0u,          0x80000000u, 0x3f800000u, 0x7f800000u, 0xff800000u,
                                           0x7fc00000u, 0x7fc00001u, 1u,          0x7f7fffffu, 0x3dcccccdu};
        static constexpr std::array integers{0u, 1u, 31u, 32u, 40u, 0x7fffffffu, 0x80000000u, 0xffffffffu};
        std::vector<std::uint32_t> words(ir_.types().scalar_words(type));
        const Type& of = ir_.types()[type];
        for (std::uint32_t& word : words) {
            if (of.kind == TypeKind::array || of.scalar == Scalar::f32) {
                word = floats[below(floats.size())];
            } else {
                word = of.scalar == Scalar::boolean ? below(2) : integers[below(integers.size())];
            }
        }
        return ir_.constant(type, words);
    }

    // One in scope of this type, or a constant.
    NodeId value(TypeId type) {
        std::vector<NodeId> fit;
        for (NodeId each : values_)
            if (ir_.type(each) == type) fit.push_back(each);
        if (!fit.empty() && below(8) != 0) return fit[below(fit.size())];
        if (type == pair_) return ir_.load(ir_.ref_index(ir_.ref(pairs_), constant(u32_type)));
        return constant(type);
    }

    // Any operation of the table from `first` to `last`.
    Op between(Op first, Op last) {
        const auto from = static_cast<std::uint32_t>(first);
        return static_cast<Op>(from + below(static_cast<std::uint32_t>(last) - from + 1));
    }

    TypeId any_vector(Scalar scalar) { return type_of(scalar, 1 + below(4)); }

    void keep(NodeId id) {
        if (below(3) == 0) ir_.name(id, std::array{"x", "y", "let", "abs"}[below(4)]);
        values_.push_back(id);
        if (below(2) != 0) use(id);
    }

    // What nobody uses isn't in the program.
    void use(NodeId id) {
        const Type type = ir_.types()[ir_.type(id)];
        if (type.kind == TypeKind::array || type.kind == TypeKind::structure) return use(ir_.extract(id, 0));
        if (type.kind == TypeKind::vector) return use(ir_.extract(id, type.width - 1));
        ir_.store(place(), ir_.convert(Scalar::f32, id));
    }

    void operation() {
        static constexpr std::array any{Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::min, Op::max};
        static constexpr std::array compare{Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge};
        static constexpr std::array bits{Op::bit_and, Op::bit_or, Op::bit_xor};
        static constexpr std::array counts{Op::count_one_bits, Op::count_leading_zeros,
                                           Op::count_trailing_zeros, Op::reverse_bits, Op::bit_not};
        static constexpr std::array number{Scalar::i32, Scalar::u32, Scalar::f32};
        const TypeId f = any_vector(Scalar::f32);
        const TypeId n = any_vector(number[below(3)]);
        const std::uint32_t width = ir_.types()[n].width;
        const TypeId integer = any_vector(number[below(2)]);
        const TypeId booleans = type_of(Scalar::boolean, width);
        switch (below(20)) {
            case 0:
            case 1: return keep(ir_.binary(any[below(any.size())], value(n), value(n)));
            case 2: return keep(ir_.binary(compare[below(6)], value(n), value(n)));
            case 3: return keep(ir_.binary(bits[below(3)], value(integer), value(integer)));
            case 4: return keep(ir_.binary(bits[below(2)], value(booleans), value(booleans)));
            case 5:
                return keep(ir_.binary(below(2) ? Op::shift_left : Op::shift_right, value(integer),
                                       value(type_of(Scalar::u32, ir_.types()[integer].width))));
            case 6: return keep(ir_.unary(counts[below(counts.size())], value(integer)));
            case 7: {
                static constexpr std::array real{Op::neg,   Op::abs,   Op::floor, Op::ceil,
                                                 Op::trunc, Op::round, Op::sqrt,  Op::inverse_sqrt};
                keep(ir_.unary(real[below(real.size())], value(f)));
                keep(ir_.unary(Op::logical_not, value(booleans)));
                return keep(ir_.unary(below(2) ? between(Op::exp, Op::atan) : between(Op::sinh, Op::atanh),
                                      value(f)));
            }
            case 8: return keep(ir_.binary(below(2) ? Op::pow : Op::atan2, value(f), value(f)));
            case 9: return keep(ir_.fma(value(f), value(f), value(f)));
            case 10: return keep(ir_.select(value(n), value(n), value(below(2) ? booleans : bool_type)));
            case 11:
                return keep(ir_.convert(
                    std::array{Scalar::boolean, Scalar::i32, Scalar::u32, Scalar::f32}[below(4)], value(n)));
            case 12: return keep(ir_.bitcast(number[below(3)], value(n)));
            case 13: return keep(ir_.splat(value(f32_type), 2 + below(3)));
            case 14: {
                const std::array parts{value(u32_type), value(u32_type), value(u32_type)};
                return keep(ir_.compose(
                    pair_, std::array{value(f32_type), ir_.compose(type_of(Scalar::u32, 3), parts)}));
            }
            case 15: return keep(ir_.extract(value(pair_), below(2)));
            case 16: {
                const std::array<std::uint8_t, 3> which{static_cast<std::uint8_t>(below(4)),
                                                        static_cast<std::uint8_t>(below(4)), 2};
                return keep(
                    ir_.swizzle(value(type_of(Scalar::f32, 4)), std::span(which).first(2 + below(2))));
            }
            case 17: return keep(ir_.extract_dynamic(value(type_of(Scalar::f32, 3)), value(i32_type)));
            case 18: {
                const NodeId elements = value(array_);
                keep(below(2) ? ir_.extract(elements, below(3))
                              : ir_.extract_dynamic(elements, value(u32_type)));
                return keep(elements);
            }
            default:
                return keep(
                    ir_.unary(below(2) ? Op::all : Op::any, value(type_of(Scalar::boolean, 2 + below(3)))));
        }
    }

    void memory() {
        switch (below(11)) {
            case 0: return keep(ir_.load(place()));
            case 1: ir_.store(place(), value(f32_type)); return;
            case 2: return keep(ir_.array_length(ir_.ref(below(2) ? floats_ : pairs_)));
            case 3:
                return keep(ir_.atomic(between(Op::atomic_add, Op::atomic_exchange), ir_.ref(counter_),
                                       value(u32_type)));
            case 8: ir_.barrier(between(Op::workgroup_barrier, Op::storage_barrier)); return;
            case 9:
                return keep(
                    ir_.load(ir_.ref_member(ir_.ref_index(ir_.ref(pairs_), value(u32_type)), below(2))));
            case 4:
                return keep(ir_.atomic(Op::atomic_compare_exchange, ir_.ref(counter_), value(u32_type),
                                       value(u32_type)));
            case 5: ir_.atomic(Op::atomic_store, ir_.ref(counter_), value(u32_type)); return;
            case 6: return keep(ir_.atomic(Op::atomic_load, ir_.ref(counter_)));
            case 7: ir_.store(ir_.ref_index(ir_.ref(local_), value(u32_type)), value(f32_type)); return;
            default: {
                const VariableId made = ir_.variable({.name = "v", .type = array_});
                ir_.declare(made, below(2) ? value(array_) : NodeId{});
                return keep(ir_.load(ir_.ref_index(ir_.ref(made), value(i32_type))));
            }
        }
    }

    // Values made in a nested block are gone behind it.
    template <class Body>
    void nested(Body body) {
        const std::vector<NodeId> outer = values_;
        body();
        values_ = outer;
    }

    void control(int depth) {
        switch (below(4)) {
            case 0:
                ir_.begin_if(value(bool_type));
                nested([&] { block(depth); });
                if (below(2)) {
                    ir_.begin_else();
                    nested([&] { block(depth); });
                }
                return ir_.end_if();
            case 1:
                ir_.begin_loop();
                nested([&] {
                    block(depth);
                    ir_.begin_if(value(bool_type));
                    below(3) != 0 ? ir_.break_() : ir_.return_();
                    ir_.begin_else();
                    if (below(2)) ir_.continue_();
                    ir_.end_if();
                    ir_.begin_continuing();
                    block(0);
                    if (below(2)) ir_.break_if(value(bool_type));
                });
                return ir_.end_loop();
            case 2:
                ir_.begin_scope();
                nested([&] {
                    block(depth);
                    if (below(2)) ir_.break_();
                });
                return ir_.end_scope();
            default:
                ir_.begin_switch(value(below(2) ? i32_type : u32_type));
                ir_.begin_case(std::array{7u, 0x80000000u}, false);
                nested([&] { block(depth); });
                ir_.begin_case({}, true);
                nested([&] { block(depth); });
                return ir_.end_switch();
        }
    }

    void block(int depth) {
        for (std::uint32_t left = 2 + below(8); left != 0; --left) {
            if (depth > 0 && below(4) == 0) {
                control(depth - 1);
            } else if (below(3) == 0) {
                memory();
            } else {
                operation();
            }
        }
    }

    std::mt19937 random_;
    IrBuilder ir_{"main", {8, 2, 1}};
    TypeId pair_, array_;
    VariableId floats_, pairs_, counter_, local_;
    std::vector<NodeId> values_;
};

}  // namespace

TEST_CASE("random programs read back as they were") {
    OpSet covered;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        const Program program = RandomProgram(seed).make();
        covered.core |= program.required_ops().core;
        printed(program);
    }
    for (const std::string& each : covered.missing(OpSet::all_core())) FAIL_CHECK("never printed: " << each);
}
