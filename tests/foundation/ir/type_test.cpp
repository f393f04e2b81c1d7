#include <array>

#include <doctest/doctest.h>

#include <muster/foundation/ir/type.hpp>

using namespace muster;

// The tables of the WGSL specification, sections "Alignment and Size" and "Structure Member Layout".

TEST_CASE("scalars and vectors have WGSL's size and alignment") {
    const TypeTable types;
    const auto check = [&](std::uint32_t width, std::uint64_t size, std::uint32_t align) {
        CHECK(types[type_of(Scalar::f32, width)].size == size);
        CHECK(types[type_of(Scalar::f32, width)].align == align);
    };
    check(1, 4, 4);
    check(2, 8, 8);
    check(3, 12, 16);
    check(4, 16, 16);
}

TEST_CASE("an array's stride is its element's size rounded up to its alignment") {
    TypeTable types;
    const Type array = types[types.array(type_of(Scalar::f32, 3), 5)];
    CHECK(array.stride == 16);
    CHECK(array.size == 80);
    CHECK(array.align == 16);
    CHECK(types[types.runtime_array(u32_type)].stride == 4);
    CHECK(types[types.runtime_array(u32_type)].is_runtime_array());
}

TEST_CASE("structure members stand where the specification's example puts them") {
    // The specification's struct A { u: f32, v: f32, w: vec2<f32>, x: f32 } and B, which contains it.
    TypeTable types;
    const std::array a_members{MemberDeclaration{"u", f32_type}, MemberDeclaration{"v", f32_type},
                               MemberDeclaration{"w", type_of(Scalar::f32, 2)},
                               MemberDeclaration{"x", f32_type}};
    const TypeId a = types.structure("A", a_members);
    CHECK(types[a].align == 8);
    CHECK(types[a].size == 24);
    const std::array b_members{MemberDeclaration{"a", type_of(Scalar::f32, 2)},
                               MemberDeclaration{"b", type_of(Scalar::f32, 3)},
                               MemberDeclaration{"c", f32_type},
                               MemberDeclaration{"d", f32_type},
                               MemberDeclaration{"e", a},
                               MemberDeclaration{"f", type_of(Scalar::f32, 3)},
                               MemberDeclaration{"g", types.array(a, 3)},
                               MemberDeclaration{"h", i32_type}};
    const Type& b = types[types.structure("B", b_members)];
    const std::array<std::uint64_t, 8> offsets{0, 16, 28, 32, 40, 64, 80, 152};
    for (std::size_t i = 0; i < offsets.size(); ++i) CHECK(b.members[i].offset == offsets[i]);
    CHECK(b.align == 16);
    CHECK(b.size == 160);
}

TEST_CASE("explicit alignment and size move the members that follow") {
    TypeTable types;
    const std::array members{MemberDeclaration{"a", f32_type, 0, 32},
                             MemberDeclaration{"b", f32_type, 16, 0}};
    const Type& type = types[types.structure("S", members)];
    CHECK(type.members[1].offset == 32);
    CHECK(type.align == 16);
    CHECK(type.size == 48);
}

TEST_CASE("equal types have equal ids, also when they come from another table") {
    TypeTable a, b;
    CHECK(a.array(f32_type, 4) == a.array(f32_type, 4));
    CHECK(a.array(f32_type, 4) != a.array(f32_type, 5));
    b.atomic(Scalar::u32);
    const TypeId nested = a.array(a.array(i32_type, 2), 3);
    const TypeId there = b.import(a, nested);
    CHECK(b.name(there) == "array<array<i32, 2>, 3>");
    CHECK(b.scalar_words(there) == 6);
    CHECK(b.import(a, nested) == there);
}

TEST_CASE("run-time arrays, atomics and bools are found inside other types") {
    TypeTable types;
    const TypeId tail = types.runtime_array(types.atomic(Scalar::u32));
    const std::array members{MemberDeclaration{"n", u32_type}, MemberDeclaration{"data", tail}};
    const TypeId type = types.structure("Buffer", members);
    CHECK(types.has_runtime_array(type));
    CHECK(types.contains_atomic(type));
    CHECK_FALSE(types.contains_bool(type));
    CHECK(types.contains_bool(types.array(type_of(Scalar::boolean, 2), 2)));
}
