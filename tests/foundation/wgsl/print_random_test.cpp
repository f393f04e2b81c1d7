#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/build/ir_builder.hpp>

#include "support/reread.hpp"

using namespace muster;
using test::finished;
using test::printed;

namespace {

// Makes random programs: every operation, every type, nested control flow, constants of every kind.
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

    // A value of this type in scope, or a constant.
    NodeId value(TypeId type) {
        std::vector<NodeId> fit;
        for (NodeId each : values_)
            if (ir_.type(each) == type) fit.push_back(each);
        if (!fit.empty() && below(8) != 0) return fit[below(fit.size())];
        if (type == pair_) return ir_.load(ir_.ref_index(ir_.ref(pairs_), constant(u32_type)));
        return constant(type);
    }

    // A random operation of the table from `first` to `last`.
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

    // Uses a value: unused values aren't part of the program.
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

    // Values made in a nested block go out of scope at its end.
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
