// The interpreter gives the results of a plain walk over the tree, on random programs: the compiler's treatment
// of values and variables (shared registers, forwarding, omitted copies) mustn't change results.

#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/interpreter/random.hpp>

#include "support/plain_evaluator.hpp"
#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr TypeId vec4_of_u32 = type_of(Scalar::u32, 4);

// Makes a program of random statements over a few variables; all are stored to `out` at the end.
class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    ValidProgram make() {
        out_ = k_.words("out");
        const std::array members{MemberDeclaration{"a", u32_type}, MemberDeclaration{"v", vec4_of_u32},
                                 MemberDeclaration{"b", u32_type}};
        structure_ = k_.ir.types().structure("S", members);
        for (int i = 0; i < 3; ++i) scalars_.push_back(k_.local(u32_type, k_.get(out_, below(20))));
        for (int i = 0; i < 2; ++i) vectors_.push_back(k_.local(vec4_of_u32));
        table_ = k_.local(k_.ir.types().array(structure_, 3));
        words_.push_back(k_.get(out_, 0u));
        values_.push_back(k_.get(vectors_[0]));
        statements(4);
        std::uint32_t at = 0;
        for (const VariableId v : scalars_) k_.set_at(out_, at++, k_.get(v));
        for (const VariableId v : vectors_)
            for (std::uint32_t c = 0; c < 4; ++c) k_.set_at(out_, at++, k_.get(v, c));
        const NodeId table = k_.get(table_);
        for (std::uint32_t i = 0; i < 3; ++i) {
            const NodeId s = k_.ir.extract(table, i);
            k_.set_at(out_, at++, k_.ir.extract(s, 0));
            k_.set_at(out_, at++, k_.ir.extract(s, 2));
            for (std::uint32_t c = 0; c < 4; ++c)
                k_.set_at(out_, at++, k_.ir.extract(k_.ir.extract(s, 1), c));
        }
        return k_.finish();
    }

  private:
    std::uint32_t below(std::uint32_t n) { return random_.below(n); }
    template <class T>
    T any(const std::vector<T>& of) {
        return of[below(static_cast<std::uint32_t>(of.size()))];
    }

    // Picks old values too, so that some live long.
    NodeId word() {
        NodeId id;
        switch (below(9)) {
            case 0: return k_.u(below(8));
            case 1:
            case 2: return any(words_);
            case 3: id = k_.get(any(scalars_)); break;
            case 4: id = k_.ir.extract(vector(), below(4)); break;
            case 5: id = k_.ir.load(word_place()); break;
            case 6: id = k_.ir.extract_dynamic(any(values_), any(words_)); break;
            case 7: id = k_.ir.select(any(words_), k_.u(3), condition()); break;
            default: {
                constexpr std::array ops{Op::add, Op::mul, Op::bit_xor, Op::div, Op::shift_left, Op::max};
                id = k_.ir.binary(ops[below(ops.size())], any(words_), any(words_));
            }
        }
        words_.push_back(id);
        return id;
    }
    NodeId vector() {
        NodeId id;
        const auto c = [&] { return static_cast<std::uint8_t>(below(4)); };
        switch (below(6)) {
            case 0: return any(values_);
            case 1: id = k_.get(any(vectors_)); break;
            case 2: id = k_.ir.swizzle(any(values_), std::array{c(), c(), c(), c()}); break;
            case 3: id = k_.ir.compose(vec4_of_u32, std::array{word(), word(), word(), word()}); break;
            case 4: id = k_.ir.load(k_.ir.ref_member(k_.at(table_, index()), 1)); break;
            default: id = k_.ir.binary(Op::sub, any(values_), any(values_));
        }
        values_.push_back(id);
        return id;
    }
    NodeId condition() {
        constexpr std::array ops{Op::lt, Op::eq, Op::ge};
        const NodeId compared = k_.ir.binary(ops[below(3)], any(words_), any(words_));
        return below(3) == 0 ? k_.ir.unary(Op::logical_not, compared) : compared;
    }
    NodeId index() { return below(2) ? k_.u(below(4)) : any(words_); }  // sometimes out of bounds
    NodeId word_place() {
        if (below(3) == 0) return k_.at(any(vectors_), index());
        const NodeId s = k_.at(table_, index());
        return below(3) ? k_.ir.ref_member(s, 2 * below(2))
                        : k_.ir.ref_index(k_.ir.ref_member(s, 1), index());
    }

    void assign() {
        switch (below(7)) {
            case 0: return k_.set(any(vectors_), vector());
            case 1: return void(k_.ir.store(word_place(), word()));
            case 2: return void(k_.ir.store(k_.ir.ref_member(k_.at(table_, index()), 1), vector()));
            case 3: return void(k_.ir.store(k_.at(table_, index()), k_.get(table_, index())));
            case 4: return k_.set(table_, k_.get(table_));
            case 5:
                return void(k_.ir.store(k_.at(table_, index()),
                                        k_.ir.compose(structure_, std::array{word(), vector(), word()})));
            default: k_.set(any(scalars_), word());
        }
    }

    // A value made in a block is in scope there and in nested blocks.
    template <class Body>
    void scoped(Body body) {
        const std::size_t words = words_.size(), values = values_.size();
        body();
        words_.resize(words);
        values_.resize(values);
    }
    void block(int depth) {
        scoped([&] { statements(depth - 1); });
    }

    void statements(int depth) {
        const std::uint32_t count = 2 + below(5);
        for (std::uint32_t i = 0; i < count && !k_.ir.block_ended(); ++i) {
            const std::uint32_t kind = depth == 0 ? 0 : below(10);
            if (kind < 5) assign();
            if (kind == 5) if_(depth);
            if (kind == 6 || kind == 7) loop(depth);
            if (kind == 8) switch_(depth);
            if (kind == 9) scope(depth);
        }
    }
    void if_(int depth) {
        k_.ir.begin_if(condition());
        block(depth);
        if (below(2)) {
            k_.ir.begin_else();
            block(depth);
        }
        k_.ir.end_if();
    }
    void leave(bool by_continue) {
        k_.ir.begin_if(condition());
        by_continue ? k_.ir.continue_() : k_.ir.break_();
        k_.ir.end_if();
    }
    void loop(int depth) {
        const VariableId i = k_.local(u32_type);
        k_.ir.begin_loop();
        scoped([&] {
            k_.ir.begin_if(k_.ir.binary(Op::ge, k_.get(i), k_.u(1 + below(4))));
            k_.ir.break_();
            k_.ir.end_if();
            if (below(2)) leave(true);
            statements(depth - 1);
            if (!k_.ir.block_ended() && below(3) == 0) leave(false);
        });
        k_.ir.begin_continuing();
        scoped([&] {
            if (below(2)) assign();
            k_.set(i, k_.add(k_.get(i), k_.u(1)));
            if (below(4) == 0) k_.ir.break_if(condition());
        });
        k_.ir.end_loop();
    }
    void switch_(int depth) {
        k_.ir.begin_switch(any(words_));
        for (std::uint32_t c = 0; c < 2; ++c) {
            k_.ir.begin_case(std::array{2 * c, 2 * c + 1}, false);
            block(depth);
        }
        k_.ir.begin_case({}, true);
        if (below(2)) block(depth);
        k_.ir.end_switch();
    }
    void scope(int depth) {
        k_.ir.begin_scope();
        scoped([&] {
            statements(depth - 1);
            if (!k_.ir.block_ended()) leave(false);
            if (!k_.ir.block_ended()) statements(depth - 1);
        });
        k_.ir.end_scope();
    }

    Kernel k_;
    interpreter::Random random_;
    VariableId out_, table_;
    TypeId structure_;
    std::vector<VariableId> scalars_, vectors_;
    std::vector<NodeId> words_, values_;  // in scope
};

}  // namespace

TEST_CASE("random programs do what a plain walk over them does") {
    std::uint64_t different = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        CAPTURE(seed);
        const ValidProgram program = Generator(seed).make();
        Words expected(29);
        for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i * 2654435761u % 11;
        const Words start = expected;
        PlainEvaluator(program, expected).run();
        different += expected != start;
        const InterpretOptions options{.threads = 1, .max_steps = 100'000'000};
        const Words got = run(program, {start}, groups(1), options)[0];
        REQUIRE(got == expected);
        const InterpretOptions watched{.threads = 1, .report_races = true, .max_steps = 100'000'000};
        REQUIRE(run(program, {start}, groups(1), watched)[0] == expected);
    }
    CHECK(different > 500);  // the programs have an effect
}
