// Each promise of validate(): a program that breaks it is refused, with its line.
#include <array>
#include <string>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>

using namespace muster;
using muster::test::has;

namespace {

// A program under construction, with one storage array "data" of f32 and one uniform u32 "n".
struct Draft {
    IrBuilder ir{"draft", {64, 1, 1}};
    VariableId data = ir.variable(
        {.name = "data", .type = ir.types().runtime_array(f32_type), .space = AddressSpace::storage});
    VariableId n = ir.variable({.name = "n",
                                .type = u32_type,
                                .space = AddressSpace::uniform,
                                .access = Access::read,
                                .binding = 1});
    std::uint32_t file =
        ir.file({"draft.wgsl", std::make_shared<const std::string>("one\ntwo\nthree\nfour\n")});

    Draft() { line(1); }
    void line(std::uint32_t number) { ir.at({file, number, 1}); }
    NodeId index() { return ir.extract(ir.builtin(Builtin::global_invocation_id), 0); }
    NodeId element() { return ir.ref_index(ir.ref(data), index()); }
    NodeId place() { return ir.ref_index(ir.ref(data), ir.constant(0u)); }
    NodeId count() { return ir.load(ir.ref(n)); }
    void keep(NodeId value) { ir.store(place(), value); }  // uses an f32, so that it isn't dropped
    VariableId local(TypeId type, const char* name = "x") {
        return ir.variable({.name = name, .type = type});
    }
    VariableId binding(const char* name, TypeId type, AddressSpace space, std::uint32_t number,
                       Access access = Access::read_write) {
        return ir.variable({.name = name,
                            .type = type,
                            .space = space,
                            .access = access,
                            .binding = number,
                            .location = {file, 4, 1}});
    }
};

// validate()'s error, or "valid" if there is none.
std::string verdict(Draft&& draft) {
    Result<Program> program = std::move(draft.ir).finish();
    if (!program) return "unfinished: " + program.error().to_string();
    Result<ValidProgram> valid = validate(*program);
    return valid ? "valid" : valid.error().to_string();
}

#define REFUSED(draft, ...)                                                                  \
    do {                                                                                     \
        const std::string message = verdict(std::move(draft));                               \
        for (std::string_view part : std::initializer_list<std::string_view>{__VA_ARGS__}) { \
            CHECK_MESSAGE(has(message, part), part, "\n", message);                          \
        }                                                                                    \
    } while (false)

}  // namespace

TEST_CASE("a program with one of each construct is valid") {
    Draft d;
    const VariableId x = d.local(f32_type);
    d.ir.declare(x);
    d.ir.begin_loop();
    d.ir.begin_if(d.ir.binary(Op::lt, d.index(), d.count()));
    d.ir.break_();
    d.ir.end_if();
    d.ir.begin_switch(d.count());
    d.ir.begin_case(std::array{1u, 2u}, false);
    d.ir.continue_();
    d.ir.begin_case({}, true);
    d.ir.break_();
    d.ir.end_switch();
    const NodeId seen = d.ir.load(d.element());
    d.ir.store(d.ir.ref(x), seen);
    d.ir.begin_continuing();
    d.ir.break_if(d.ir.binary(Op::gt, d.ir.load(d.ir.ref(x)), d.ir.constant(3.0f)));
    d.ir.end_loop();
    d.ir.begin_scope();
    d.ir.break_();
    d.ir.end_scope();
    d.keep(d.ir.load(d.ir.ref(x)));
    CHECK(verdict(std::move(d)) == "valid");
}

TEST_CASE("a fault shows file, line, column, the line with a caret, and a fix") {
    Draft d;
    d.line(3);
    d.ir.break_();
    REFUSED(d, "draft.wgsl:3:1: error: break_ stands in no loop, switch_ or scope.", "three", "^",
            "Fix: use return_");
}

TEST_CASE("up to 20 faults are shown, one per node") {
    Draft d;
    for (std::uint32_t i = 1; i <= 30; ++i) {
        d.line(i);
        d.ir.store(d.place(), d.ir.constant(i));
    }
    const std::string message = verdict(std::move(d));
    std::size_t faults = 0;
    for (std::size_t at = 0; (at = message.find("error:", at)) != std::string::npos; ++at) ++faults;
    CHECK(faults == 20);
    CHECK(has(message, "draft.wgsl:20:1"));
    CHECK(message.find("draft.wgsl:21:1") == std::string::npos);
}

TEST_CASE("values are used where they are visible") {
    SUBCASE("not after their block") {
        Draft d;
        d.ir.begin_if(d.ir.binary(Op::lt, d.index(), d.count()));
        const NodeId inner = d.ir.load(d.element());
        d.ir.end_if();
        d.line(2);
        d.keep(inner);
        REFUSED(d, "draft.wgsl:2:1", "store uses the value of load (made at draft.wgsl:1:1)",
                "isn't visible");
    }
    SUBCASE("not as an index, either") {
        Draft d;
        d.ir.begin_scope();
        const NodeId index = d.count();
        d.ir.end_scope();
        d.line(2);
        d.ir.store(d.ir.ref_index(d.ir.ref(d.data), index), d.ir.constant(1.0f));
        REFUSED(d, "draft.wgsl:2:1", "isn't visible");
    }
    SUBCASE("a continuing block sees its body") {
        Draft d;
        d.ir.begin_loop();
        const NodeId early = d.ir.load(d.element());
        d.ir.begin_continuing();
        d.ir.break_if(d.ir.binary(Op::gt, early, d.ir.constant(1.0f)));
        d.ir.end_loop();
        CHECK(verdict(std::move(d)) == "valid");
    }
    SUBCASE("but not what a continue_ may have jumped over") {
        Draft d;
        d.ir.begin_loop();
        d.ir.begin_if(d.ir.binary(Op::lt, d.index(), d.count()));
        d.ir.continue_();
        d.ir.end_if();
        const NodeId late = d.ir.load(d.element());
        d.ir.begin_continuing();
        const NodeId stop = d.ir.binary(Op::gt, late, d.ir.constant(1.0f));
        d.ir.break_if(stop);
        d.ir.end_loop();
        REFUSED(d, "gt uses the value of load");
    }
    SUBCASE("variables are used below their declaration") {
        Draft d;
        const VariableId x = d.local(f32_type);
        d.ir.begin_scope();
        d.ir.declare(x);
        d.ir.end_scope();
        d.line(2);
        d.ir.store(d.ir.ref(x), d.ir.constant(1.0f));
        REFUSED(d, "draft.wgsl:2:1", "store uses variable \"x\" where it isn't declared.");
    }
    SUBCASE("and declared once") {
        Draft d;
        const VariableId x = d.local(f32_type);
        d.ir.declare(x);
        d.line(3);
        d.ir.declare(x);
        REFUSED(d, "draft.wgsl:3:1", "declared twice");
    }
    SUBCASE("only function variables are") {
        Draft d;
        d.ir.declare(d.n);
        REFUSED(d, "declare names variable \"n\" in address space uniform.");
    }
}

TEST_CASE("jumps have targets") {
    SUBCASE("continue_ outside loops") {
        Draft d;
        d.ir.begin_scope();
        d.ir.continue_();
        d.ir.end_scope();
        REFUSED(d, "continue_ stands in no loop.");
    }
    SUBCASE("no jump leaves a continuing block") {
        for (const auto jump : {&IrBuilder::break_, &IrBuilder::continue_, &IrBuilder::return_}) {
            Draft d;
            d.ir.begin_loop();
            d.ir.begin_if(d.ir.binary(Op::lt, d.index(), d.count()));
            d.ir.break_();
            d.ir.end_if();
            d.ir.begin_continuing();
            d.line(4);
            (d.ir.*jump)();
            d.ir.end_loop();
            REFUSED(d, "draft.wgsl:4:1", "leaves a continuing block");
        }
    }
    SUBCASE("break_if ends a continuing block") {
        Draft d;
        d.ir.begin_loop();
        d.ir.break_if(d.ir.binary(Op::lt, d.index(), d.count()));
        d.ir.end_loop();
        REFUSED(d, "break_if isn't at the end of a continuing block");
    }
    SUBCASE("a loop has a way out") {
        Draft d;
        d.line(2);
        d.ir.begin_loop();
        d.ir.end_loop();
        REFUSED(d, "draft.wgsl:2:1", "The loop has no way out.");
    }
    SUBCASE("switches have one default and distinct selectors") {
        Draft d;
        d.ir.begin_switch(d.count());
        d.ir.begin_case(std::array{7u}, false);
        d.ir.begin_case(std::array{7u}, true);
        d.ir.begin_case({}, true);
        d.ir.end_switch();
        REFUSED(d, "Two cases of switch_ have the selector 7.");
        Draft without;
        without.ir.begin_switch(without.count());
        without.ir.begin_case(std::array{7u}, false);
        without.ir.end_switch();
        REFUSED(without, "switch_ has 0 default cases");
    }
}

TEST_CASE("operand types fit") {
    SUBCASE("arithmetic on two types") {
        Draft d;
        d.line(2);
        d.keep(d.ir.binary(Op::add, d.ir.load(d.element()), d.count()));
        REFUSED(d, "draft.wgsl:2:1",
                "add takes (f32, u32) and yields f32; operands and result are of one type.");
    }
    SUBCASE("operations on scalars that they don't act on") {
        Draft d;
        d.keep(d.ir.convert(Scalar::f32, d.ir.unary(Op::floor, d.count())));
        REFUSED(d, "floor takes (u32)", "it acts on scalars and vectors of f32");
        Draft shift;
        shift.keep(shift.ir.binary(Op::shift_left, shift.ir.load(shift.element()), shift.count()));
        REFUSED(shift, "shift_left takes (f32, u32)");
        Draft compare;
        const NodeId yes = compare.ir.binary(Op::lt, compare.count(), compare.index());
        compare.ir.begin_if(compare.ir.binary(Op::lt, yes, yes));
        compare.ir.end_if();
        REFUSED(compare, "lt takes (bool, bool)");
    }
    SUBCASE("conditions and selectors") {
        Draft d;
        d.ir.begin_if(d.count());
        d.ir.end_if();
        REFUSED(d, "if takes (u32); the condition is bool.");
        Draft s;
        s.ir.begin_switch(s.ir.load(s.element()));
        s.ir.begin_case({}, true);
        s.ir.end_switch();
        REFUSED(s, "switch takes (f32); the selector is i32 or u32.");
    }
    SUBCASE("select") {
        Draft d;
        const NodeId value = d.ir.load(d.element());
        d.keep(d.ir.select(value, value, d.count()));
        REFUSED(d, "select takes (f32, f32, u32)");
    }
    SUBCASE("composites") {
        Draft d;
        const NodeId value = d.ir.load(d.element());
        const NodeId vec = d.ir.compose(type_of(Scalar::f32, 3), std::array{value, value});
        d.keep(d.ir.extract(vec, 0));
        REFUSED(d, "compose takes (f32, f32) and yields vec3<f32>; it is made of 3 parts of type f32.");
        Draft past;
        const NodeId one = past.ir.load(past.element());
        const NodeId two = past.ir.compose(type_of(Scalar::f32, 2), std::array{one, one});
        past.keep(past.ir.extract(two, 2));
        REFUSED(past, "part 2 is past the 2 there are");
        Draft pick;
        const NodeId from = pick.ir.splat(pick.ir.load(pick.element()), 2);
        pick.keep(pick.ir.extract(pick.ir.swizzle(from, std::array<std::uint8_t, 2>{0, 3}), 0));
        REFUSED(pick, "it picks a component past the vector's width");
    }
    SUBCASE("indices are integers") {
        Draft d;
        d.ir.store(d.ir.ref_index(d.ir.ref(d.data), d.ir.constant(1.5f)), d.ir.constant(1.0f));
        REFUSED(d, "ref_index takes (array<f32>, f32) and yields f32; the index is i32 or u32.");
    }
    SUBCASE("a reference is no value") {
        Draft d;
        d.keep(d.ir.unary(Op::neg, d.place()));
        REFUSED(d, "neg takes a reference as a value.");
    }
}

TEST_CASE("memory is used as it is declared") {
    SUBCASE("stores to what is read-only") {
        Draft d;
        d.line(2);
        d.ir.store(d.ir.ref(d.n), d.ir.constant(1u));
        REFUSED(d, "draft.wgsl:2:1", "The program writes to \"n\", which is in the uniform address space.");
        Draft s;
        const VariableId in = s.binding("in", f32_type, AddressSpace::storage, 2, Access::read);
        s.ir.store(s.ir.ref(in), s.ir.constant(1.0f));
        REFUSED(s, "The program writes to \"in\", which is read-only storage.",
                "Fix: declare it var<storage, read_write>");
    }
    SUBCASE("stores of another type") {
        Draft d;
        d.ir.store(d.place(), d.ir.constant(1u));
        REFUSED(d, "A u32 is stored to a f32.");
    }
    SUBCASE("initial values of another type") {
        Draft d;
        d.ir.declare(d.local(f32_type), d.ir.constant(1u));
        REFUSED(d, "Variable \"x\" is a f32 and starts as a u32.");
    }
    SUBCASE("whole arrays of unknown size") {
        Draft d;
        d.keep(d.ir.extract(d.ir.load(d.ir.ref(d.data)), 0));
        REFUSED(d, "load moves a array<f32>, whose size isn't known.");
    }
    SUBCASE("array_length of others") {
        Draft d;
        d.keep(d.ir.convert(Scalar::f32, d.ir.array_length(d.ir.ref(d.n))));
        REFUSED(d, "array_length takes a u32");
    }
}

TEST_CASE("atomics are touched atomically, and nothing else is") {
    const auto with_counter = [](Draft& d, AddressSpace space, Access access = Access::read_write) {
        return d.ir.ref(d.binding("counter", d.ir.types().atomic(Scalar::u32), space, 2, access));
    };
    SUBCASE("loads and stores") {
        Draft d;
        d.keep(d.ir.convert(Scalar::f32, d.ir.load(with_counter(d, AddressSpace::storage))));
        REFUSED(d, "load moves a atomic<u32>");
        Draft s;
        s.ir.store(with_counter(s, AddressSpace::workgroup), s.ir.constant(1u));
        REFUSED(s, "store moves a atomic<u32>", "Fix: use the atomic operations on it");
    }
    SUBCASE("plain places") {
        Draft d;
        const VariableId plain = d.binding("plain", u32_type, AddressSpace::workgroup, 0);
        d.line(2);
        d.ir.atomic(Op::atomic_store, d.ir.ref(plain), d.ir.constant(1u));
        REFUSED(d, "draft.wgsl:2:1", "atomic_store acts on a u32, which isn't atomic.");
    }
    SUBCASE("values of another type") {
        Draft d;
        d.ir.atomic(Op::atomic_add, with_counter(d, AddressSpace::workgroup), d.ir.constant(1));
        REFUSED(d, "atomic_add on a atomic<u32> takes a i32.");
    }
    SUBCASE("read-only storage") {
        Draft d;
        d.ir.atomic(Op::atomic_add, with_counter(d, AddressSpace::storage, Access::read), d.ir.constant(1u));
        REFUSED(d, "The program writes to \"counter\"");
    }
    SUBCASE("function memory") {
        Draft d;
        const VariableId local = d.local(d.ir.types().atomic(Scalar::u32));
        d.ir.declare(local);
        d.ir.atomic(Op::atomic_add, d.ir.ref(local), d.ir.constant(1u));
        REFUSED(d, "in address space function");
    }
}

TEST_CASE("bindings are distinct and named") {
    const auto refused = [](const char* name, std::uint32_t number, std::string_view part) {
        Draft d;
        d.keep(d.ir.constant(1.0f));  // so that "data" comes first
        d.keep(d.ir.load(d.ir.ref(d.binding(name, f32_type, AddressSpace::storage, number))));
        REFUSED(d, part, "draft.wgsl:4:1");
    };
    refused("data", 5, "Two bindings are called \"data\".");
    refused("other", 0, "\"data\" and \"other\" are both binding 0 of group 0.");
    refused("", 5, "is called \"\", which isn't a WGSL identifier.");
    refused("1st", 5, "is called \"1st\", which isn't a WGSL identifier.");
}

TEST_CASE("what is bound has a layout") {
    SUBCASE("no bool") {
        Draft d;
        const VariableId flag = d.binding("flag", bool_type, AddressSpace::storage, 2);
        d.ir.store(d.ir.ref(flag), d.ir.constant(true));
        REFUSED(d, "Variable \"flag\" of type bool can't be in address space storage: it holds a bool");
    }
    SUBCASE("uniforms as storage: WGSL's uniform_buffer_standard_layout") {
        Draft d;
        TypeTable& types = d.ir.types();
        const TypeId inner = types.structure("S", std::array{MemberDeclaration{"x", f32_type}});
        const TypeId outer = types.structure(
            "T", std::array{MemberDeclaration{"a", inner}, MemberDeclaration{"b", types.array(f32_type, 8)}});
        const VariableId v = d.binding("v", outer, AddressSpace::uniform, 2, Access::read);
        d.keep(d.ir.load(d.ir.ref_index(d.ir.ref_member(d.ir.ref(v), 1), d.ir.constant(1u))));
        CHECK(verdict(std::move(d)) == "valid");
    }
    SUBCASE("arrays sized at run time end a variable") {
        Draft d;
        TypeTable& types = d.ir.types();
        const TypeId tail =
            types.structure("Tail", std::array{MemberDeclaration{"rest", types.runtime_array(f32_type)}});
        const TypeId outer = types.structure("Outer", std::array{MemberDeclaration{"tail", tail}});
        const VariableId v = d.binding("v", outer, AddressSpace::storage, 2);
        const NodeId rest = d.ir.ref_member(d.ir.ref_member(d.ir.ref(v), 0), 0);
        d.keep(d.ir.load(d.ir.ref_index(rest, d.ir.constant(0u))));
        REFUSED(d, "an array sized at run time stands inside it");
        Draft u;
        const VariableId w = u.binding("w", u.ir.types().runtime_array(type_of(Scalar::f32, 4)),
                                       AddressSpace::uniform, 2, Access::read);
        u.keep(u.ir.extract(u.ir.load(u.ir.ref_index(u.ir.ref(w), u.ir.constant(0u))), 0));
        REFUSED(u, "its size isn't known before the program runs");
    }
}

TEST_CASE("workgroups and memory have sensible sizes") {
    const auto sized = [](Extent3 size) {
        Draft d;
        d.ir = IrBuilder("sized", size);
        return verdict(std::move(d));
    };
    CHECK(has(sized({64, 0, 1}), "The workgroup is 64 x 0 x 1 invocations."));
    CHECK(has(sized({0xffffffff, 0xffffffff, 0xffffffff}), "more than the 1048576"));
    CHECK(sized({1024, 1, 1}) == "valid");
    Draft d;
    const VariableId big = d.local(d.ir.types().array(f32_type, 1u << 24));
    d.ir.declare(big);
    REFUSED(d, "The private and function variables take 67108864 bytes");
}
