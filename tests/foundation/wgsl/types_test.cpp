// Types of expressions: overloads, automatic conversions, concretisation.

#include <array>

#include <muster/foundation/wgsl/resolve/functions.hpp>

#include "support/parse.hpp"

using namespace muster;

TEST_CASE("overload resolution chooses what WGSL prefers") {
    wgsl::Types types;
    const auto named = [&](std::string_view name) -> wgsl::TypeRef {
        for (wgsl::TypeRef scalar :
             {types.abstract_int, types.abstract_float, types.boolean, types.i32, types.u32, types.f32}) {
            if (scalar->name == name) return scalar;
            for (std::uint32_t width = 2; width <= 4; ++width)
                if (types.vector(scalar, width)->name == name) return types.vector(scalar, width);
        }
        return types.nothing;
    };
    struct Case {
        const char* function;
        std::vector<const char*> arguments;
        bool are_const;
        const char* result;  // empty: no overload
    };
    const std::array cases{
        Case{"abs", {"AbstractInt"}, true, "AbstractInt"},
        Case{"abs", {"AbstractInt"}, false, "i32"},
        Case{"sqrt", {"AbstractInt"}, true, "AbstractFloat"},
        Case{"sqrt", {"AbstractInt"}, false, "f32"},
        Case{"sqrt", {"i32"}, false, ""},
        Case{"max", {"AbstractInt", "f32"}, false, "f32"},
        Case{"max", {"AbstractInt", "AbstractFloat"}, true, "AbstractFloat"},
        Case{"max", {"i32", "u32"}, false, ""},
        Case{"max", {"vec2<AbstractInt>", "vec2<u32>"}, false, "vec2<u32>"},
        Case{"max", {"vec2<f32>", "vec3<f32>"}, false, ""},
        Case{"countOneBits", {"AbstractInt"}, true, "i32"},
        Case{"mix", {"vec3<f32>", "vec3<f32>", "AbstractFloat"}, false, "vec3<f32>"},
        Case{"mix", {"vec3<f32>", "vec3<f32>", "vec3<f32>"}, false, "vec3<f32>"},
        Case{"dot", {"vec3<i32>", "vec3<AbstractInt>"}, false, "i32"},
        Case{"dot", {"f32", "f32"}, false, ""},
        Case{"cross", {"vec2<f32>", "vec2<f32>"}, false, ""},
        Case{"length", {"vec4<f32>"}, false, "f32"},
        Case{"select", {"AbstractInt", "AbstractFloat", "bool"}, true, "AbstractFloat"},
        Case{"select", {"vec2<bool>", "vec2<bool>", "vec2<bool>"}, false, "vec2<bool>"},
        Case{"select", {"vec2<i32>", "vec2<i32>", "vec3<bool>"}, false, ""},
        Case{"any", {"vec3<bool>"}, false, "bool"},
        Case{"any", {"vec3<i32>"}, false, ""},
        Case{"ldexp", {"f32", "AbstractInt"}, false, "f32"},
        Case{"ldexp", {"AbstractFloat", "AbstractInt"}, true, "AbstractFloat"},
        Case{"ldexp", {"AbstractFloat", "i32"}, true, "f32"},
        Case{"extractBits", {"vec2<i32>", "AbstractInt", "u32"}, false, "vec2<i32>"},
        Case{"quantizeToF16", {"AbstractFloat"}, true, "f32"},
        Case{"pack4x8snorm", {"vec4<AbstractFloat>"}, true, "u32"},
        Case{"frexp", {"AbstractFloat"}, true, "__frexp_result_abstract"},
        Case{"frexp", {"vec3<f32>"}, false, "__frexp_result_vec3_f32"},
        Case{"sign", {"u32"}, false, ""},
        Case{"sin", {}, false, ""},
    };
    for (const Case& each : cases) {
        std::vector<wgsl::Argument> arguments;
        std::string given;
        for (const char* name : each.arguments) {
            REQUIRE_NE(named(name), types.nothing);
            arguments.push_back({named(name), each.are_const});
            given += std::string(name) + " ";
        }
        CAPTURE(each.function);
        CAPTURE(given);
        const auto call = wgsl::choose_overload(types, each.function, arguments);
        CHECK_EQ(call ? call->result->name : "", each.result);
    }
}

TEST_CASE("conversion ranks are WGSL's") {
    wgsl::Types t;
    CHECK_EQ(wgsl::conversion_rank(t.f32, t.f32), 0);
    CHECK_EQ(wgsl::conversion_rank(t.abstract_float, t.f32), 1);
    CHECK_EQ(wgsl::conversion_rank(t.abstract_int, t.i32), 3);
    CHECK_EQ(wgsl::conversion_rank(t.abstract_int, t.u32), 4);
    CHECK_EQ(wgsl::conversion_rank(t.abstract_int, t.abstract_float), 5);
    CHECK_EQ(wgsl::conversion_rank(t.abstract_int, t.f32), 6);
    CHECK_FALSE(wgsl::converts(t.i32, t.f32));
    CHECK_FALSE(wgsl::converts(t.abstract_float, t.i32));
    CHECK_EQ(wgsl::conversion_rank(t.vector(t.abstract_int, 3), t.vector(t.u32, 3)), 4);
    CHECK_FALSE(wgsl::converts(t.vector(t.abstract_int, 3), t.vector(t.u32, 2)));
    CHECK_EQ(wgsl::conversion_rank(t.array(t.abstract_int, 3), t.array(t.f32, 3)), 6);
}

TEST_CASE("layout is WGSL's") {
    wgsl::Types t;
    const wgsl::TypeRef inner =
        t.structure("Inner", {{.name = "a", .type = t.vector(t.f32, 3)}, {.name = "b", .type = t.f32}});
    CHECK_EQ(inner->size, 16);
    CHECK_EQ(inner->members[1].offset, 12);
    const wgsl::TypeRef outer = t.structure("Outer", {{.name = "x", .type = t.f32},
                                                      {.name = "v", .type = t.array(inner, 2)},
                                                      {.name = "y", .type = t.f32, .align = 32}});
    CHECK_EQ(outer->members[1].offset, 16);
    CHECK_EQ(outer->members[2].offset, 64);
    CHECK_EQ(outer->align, 32);
    CHECK_EQ(outer->size, 96);
    TypeTable table;
    const Type& made = table[wgsl::ir_type(table, outer)];
    CHECK_EQ(made.size, outer->size);
    CHECK_EQ(made.align, outer->align);
    CHECK_EQ(made.members[2].offset, outer->members[2].offset);
}
