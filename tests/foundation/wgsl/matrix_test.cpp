// Matrices in WGSL: what they mean in terms of vectors, their constants, their layout, and what is refused.

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

#include "support/parse.hpp"

using namespace muster;
using test::first_fault;
using test::in_main;

namespace {

Fingerprint fingerprint_in_main(const std::string& statements) {
    return test::parse(in_main(statements)).fingerprint();
}

/// Columns of small integers, so that every sum and product is exact.
struct Columns {
    std::uint32_t columns, rows;
    std::vector<float> values;
    float at(std::uint32_t column, std::uint32_t row) const { return values[column * rows + row]; }
};
Columns small_columns(std::uint32_t columns, std::uint32_t rows, std::uint32_t seed) {
    Columns made{columns, rows, {}};
    for (std::uint32_t i = 0; i < columns * rows; ++i, seed += 7)
        made.values.push_back(static_cast<float>(seed * seed % 11) - 5.0f);
    return made;
}
std::string spelled(const Columns& m) {
    if (m.columns == 1) return fmt::format("vec{}f", m.rows);
    if (m.rows == 1) return fmt::format("vec{}f", m.columns);
    return fmt::format("mat{}x{}f", m.columns, m.rows);
}
Columns product_of_columns(const Columns& a, const Columns& b) {
    Columns made{b.columns, a.rows, {}};
    for (std::uint32_t column = 0; column < b.columns; ++column)
        for (std::uint32_t row = 0; row < a.rows; ++row) {
            float sum = 0;
            for (std::uint32_t k = 0; k < a.columns; ++k) sum += a.at(k, row) * b.at(column, k);
            made.values.push_back(sum);
        }
    return made;
}
Columns each_scalar_of(const Columns& a, auto&& of) {
    Columns made = a;
    for (std::size_t i = 0; i < made.values.size(); ++i) made.values[i] = of(i);
    return made;
}

/// The value of `expression`, an operation on a and b, at run time.
std::vector<float> run_on_matrices(const Columns& a, const Columns& b, std::string_view expression,
                                   const Columns& shape) {
    std::string text =
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read> in: array<f32>;\n"
        "@compute @workgroup_size(1) fn main() {\n";
    std::vector<float> in;
    for (const auto& [name, of] : {std::pair("a", &a), std::pair("b", &b)}) {
        std::vector<std::string> scalars;
        for (const float value : of->values) {
            scalars.push_back(fmt::format("in[{}]", in.size()));
            in.push_back(value);
        }
        text += fmt::format("let {} = {}({});\n", name, spelled(*of), fmt::join(scalars, ", "));
    }
    text += fmt::format("let r = {};\n", expression);
    const bool is_vector = shape.columns == 1 || shape.rows == 1;
    for (std::uint32_t c = 0; c < shape.columns; ++c)
        for (std::uint32_t r = 0; r < shape.rows; ++r)
            text += is_vector ? fmt::format("out[{0}] = r[{0}];\n", c + r)
                              : fmt::format("out[{}] = r[{}][{}];\n", c * shape.rows + r, c, r);
    const Result<ValidProgram> program = validate(test::parse(text + "}"));
    REQUIRE(program);
    std::vector<float> out(shape.values.size());
    const std::array memory{BoundBytes{std::as_writable_bytes(std::span(out))},
                            BoundBytes{std::as_writable_bytes(std::span(in))}};
    REQUIRE(interpret(*program, memory, {.extent = {1, 1, 1}, .grid = {1, 1, 1}}));
    return out;
}

}  // namespace

TEST_CASE("operators of matrices of every shape compute what linear algebra says") {
    for (std::uint32_t c = 2; c <= 4; ++c) {
        for (std::uint32_t r = 2; r <= 4; ++r) {
            CAPTURE(c);
            CAPTURE(r);
            const Columns a = small_columns(c, r, 1), b = small_columns(c, r, 2);
            const Columns sum = each_scalar_of(a, [&](std::size_t i) { return a.values[i] + b.values[i]; });
            const Columns difference =
                each_scalar_of(a, [&](std::size_t i) { return a.values[i] - b.values[i]; });
            const Columns scaled = each_scalar_of(a, [&](std::size_t i) { return a.values[i] * 3; });
            CHECK(run_on_matrices(a, b, "a + b", a) == sum.values);
            CHECK(run_on_matrices(a, b, "a - b", a) == difference.values);
            CHECK(run_on_matrices(a, b, "a * 3", a) == scaled.values);
            CHECK(run_on_matrices(a, b, "3 * a", a) == scaled.values);
            for (std::uint32_t k = 2; k <= 4; ++k) {
                const Columns other = small_columns(k, c, 3);
                const Columns both = product_of_columns(a, other);
                CHECK(run_on_matrices(a, other, "a * b", both) == both.values);
            }
            const Columns column = small_columns(1, c, 4), row = small_columns(r, 1, 5);
            CHECK(run_on_matrices(a, column, "a * b", product_of_columns(a, column)) ==
                  product_of_columns(a, column).values);
            CHECK(run_on_matrices(row, a, "a * b", product_of_columns(row, a)) ==
                  product_of_columns(row, a).values);
            Columns turned{r, c, {}};
            for (std::uint32_t i = 0; i < r; ++i)
                for (std::uint32_t k = 0; k < c; ++k) turned.values.push_back(a.at(k, i));
            CHECK(run_on_matrices(a, b, "transpose(a)", turned) == turned.values);
        }
    }
}

TEST_CASE("matrices have the fingerprints of the vectors that they are made of") {
    struct Pair {
        const char* a;
        const char* b;
    };
    constexpr std::string_view vectors =
        "let a = vec2(f[0], f[1]); let b = vec2(f[2], f[3]); let v = vec2(f[4], f[5]);";
    constexpr std::array pairs{
        Pair{"let r = mat2x2(a, b) * v; f[0] = r.x + r.y;", "let r = a * v.x + b * v.y; f[0] = r.x + r.y;"},
        Pair{"let r = v * mat2x2(a, b); f[0] = r.x + r.y;",
             "let r = vec2(dot(v, a), dot(v, b)); f[0] = r.x + r.y;"},
        Pair{"f[0] = (mat2x2(a, b) * v.x)[1].y;", "let x = vec2(v.x); f[0] = array(a * x, b * x)[1].y;"},
        Pair{"f[0] = (mat2x2(a, b) + mat2x2(v, v))[1].y;", "f[0] = array(a + v, b + v)[1].y;"},
        Pair{"f[0] = mat2x2(a.x, a.y, b.x, b.y)[n].y;", "f[0] = array(vec2(a.x, a.y), vec2(b.x, b.y))[n].y;"},
        Pair{"f[0] = mat2x2<f32>(mat2x2f(a, b))[0].x;", "f[0] = array(a, b)[0].x;"},
        Pair{"var m: mat2x2f; m[1] = a; m[n].y = v.x; f[0] = m[1][n];",
             "var m: array<vec2f, 2>; m[1] = a; m[n].y = v.x; f[0] = m[1][n];"},
        Pair{"var m = mat2x2f(1, 2, 3, 4); let p = &m[1]; *p = a; p.x = 3; f[0] = m[1].y;",
             "var m = array(vec2f(1, 2), vec2f(3, 4)); let p = &m[1]; *p = a; p.x = 3; f[0] = m[1].y;"},
    };
    for (const Pair& pair : pairs) {
        CAPTURE(std::string(pair.a));
        const std::string before(vectors);
        CHECK(fingerprint_in_main(before + pair.a) == fingerprint_in_main(before + pair.b));
    }
}

TEST_CASE("a product of 4x4 matrices is 16 products and 12 sums of columns") {
    const Program program = test::parse(in_main("var m: mat4x4f; m[n].x = 2; m *= m; f[0] = m[n].y;"));
    std::size_t products = 0, sums = 0;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        products += program.node(NodeId{i}).op == Op::mul ? 1 : 0;
        sums += program.node(NodeId{i}).op == Op::add ? 1 : 0;
    }
    CHECK(products == 16);
    CHECK(sums == 12);
}

TEST_CASE("matrices of constants have the values that WGSL gives them") {
    constexpr std::array cases{
        "all(mat2x2(1, 2, 3, 4)[1] == vec2(3, 4))",
        "mat3x2(1, 2, 3, 4, 5, 6)[2][1] == 6",
        "mat2x2f()[1].y == 0",
        "all((mat2x2(1, 2, 3, 4) + mat2x2f(1, 1, 1, 1))[0] == vec2f(2, 3))",
        "all((mat2x2(1, 2, 3, 4) - mat2x2(1, 1, 1, 1))[1] == vec2(2, 3))",
        "all((mat2x2(1, 2, 3, 4) * 2)[1] == vec2(6, 8))",
        "all((0.5f * mat2x2(1, 2, 3, 4))[1] == vec2(1.5, 2))",
        "all(mat2x3(1, 2, 3, 4, 5, 6) * vec2(1, 10) == vec3(41, 52, 63))",
        "all(vec3(1, 10, 100) * mat2x3(1, 2, 3, 4, 5, 6) == vec2(321, 654))",
        "all((mat2x3(1, 2, 3, 4, 5, 6) * mat3x2(1, 0, 0, 1, 1, 1))[2] == vec3(5, 7, 9))",
        "all(transpose(mat2x3(1, 2, 3, 4, 5, 6))[2] == vec2(3, 6))",
        "determinant(mat2x2(1, 2, 3, 4)) == -2",
        "determinant(mat3x3(2, 0, 0, 0, 3, 0, 1, 0, 4)) == 24",
        "determinant(mat4x4(2, 0, 0, 1, 0, 3, 0, 0, 1, 0, 4, 0, 0, 0, 5, 1)) == 39",
        "determinant(mat4x4f(2, 0, 0, 1, 0, 3, 0, 0, 1, 0, 4, 0, 0, 0, 5, 1)) == 39",
        // Abstract floats have 64 bits, f32 rounds each operation.
        "(mat2x2(16777216, 0, 0, 1) * vec2(1, 1))[0] + (vec2(1, 0) * mat2x2(1, 0, 0, 1)).x == 16777217",
        "(mat2x2f(16777216, 0, 1, 0) * vec2(1, 1))[0] == 16777216",
        "(1e39 * mat2x2(1, 0, 0, 1))[0].x == 1e39",
    };
    for (const char* const each : cases) {
        CAPTURE(std::string(each));
        CHECK(first_fault(fmt::format("const_assert {};", each)) == "");
        CHECK(first_fault(fmt::format("const_assert !({});", each)) != "");
    }
}

TEST_CASE("matrices have the layout of their columns, and print as such") {
    const std::string text = R"(
        struct All { a: f32, m: mat2x3f, b: f32, n: mat3x2<f32>, o: array<mat4x2f, 2>, c: f32 }
        @group(0) @binding(0) var<uniform> all: All;
        @group(0) @binding(1) var<storage, read_write> out: array<mat3x3f>;
        @compute @workgroup_size(1) fn main() { out[0] = mat3x3f(all.m[0], all.m[1], vec3f(all.o[1][3], all.c)); })";
    const Program program = test::parse(text);
    const Type& all = program.types()[program.variables()[0].type];
    std::vector<std::uint64_t> offsets;
    for (const Member& each : all.members) offsets.push_back(each.offset);
    CHECK(offsets == std::vector<std::uint64_t>{0, 16, 48, 56, 80, 144});
    CHECK(all.size == 160);
    CHECK(program.types()[program.variables()[1].type].stride == 48);
    // In a uniform variable the array that a matrix is has elements of 8 bytes, which is valid too.
    CHECK(test::parse(wgsl::print(program)).fingerprint() == program.fingerprint());
}

TEST_CASE("what isn't an operation on matrices is refused with its reason") {
    struct Case {
        const char* text;
        const char* fault;
    };
    constexpr std::array cases{
        Case{"let a = mat2x2f() * mat3x3f();",
             "6:19: * doesn't take operands of types mat2x2<f32> and mat3x3<f32>."},
        Case{"let a = mat2x3f() + mat3x2f();",
             "6:19: + doesn't take operands of types mat2x3<f32> and mat3x2<f32>."},
        Case{"let a = mat2x3f() * vec3f();",
             "6:19: * doesn't take operands of types mat2x3<f32> and vec3<f32>."},
        Case{"let a = vec2f() * mat2x3f();",
             "6:17: * doesn't take operands of types vec2<f32> and mat2x3<f32>."},
        Case{"let a = mat2x2f() / 2;", "6:19: / doesn't take operands of types mat2x2<f32> and AbstractInt."},
        Case{"let a = mat2x2f() + 1;", "6:19: + doesn't take operands of types mat2x2<f32> and AbstractInt."},
        Case{"let a = mat2x2f() * 1i;", "6:19: * doesn't take operands of types mat2x2<f32> and i32."},
        Case{"let a = mat2x2f() == mat2x2f();",
             "6:19: == doesn't take operands of types mat2x2<f32> and mat2x2<f32>."},
        Case{"let a = -mat2x2f();", "6:9: - takes a signed number or a vector of them, not mat2x2<f32>."},
        Case{"let a = mat2x2<i32>();", "6:9: A matrix can't have components of type i32."},
        Case{"let a = mat2x2(1i, 2i, 3i, 4i);", "6:9: A matrix can't have components of type i32."},
        Case{"let a = mat2x2();", "6:9: mat2x2() has neither a type nor elements."},
        Case{"let a = mat2x2f(1);", "6:9: mat2x2<f32> can't be made of AbstractInt."},
        Case{"let a = mat2x2f(mat3x3f());", "6:9: mat2x2<f32> can't be made of mat3x3<f32>."},
        Case{"let a = mat2x2f(1, 2, 3);",
             "6:9: mat2x2<f32> takes 2 columns or 4 scalars, 3 values given "
             "(AbstractInt, AbstractInt, AbstractInt)."},
        Case{"let a = mat2x3f(vec2f(), vec2f());",
             "6:17: An element of mat2x3<f32> takes vec3<f32>, not vec2<f32>."},
        Case{"let a = mat2x2f(vec2f(), 1, 2, 3);", "6:17: "},
        Case{"let a: mat2x5f = 1;", "6:8: No type is called mat2x5f."},
        Case{"let a: mat2x2 = mat2x2f();", "6:8: The type mat2x2 takes one template argument, 0 given."},
        Case{"let a: mat2x2u = mat2x2f();", "6:8: No type is called mat2x2u."},
        Case{"let a: mat2x2f<f32> = mat2x2f();", "6:8: The type mat2x2f takes no template arguments."},
        Case{"let a = mat2x2f()[2];", "6:18: The index 2 is outside mat2x2<f32>."},
        Case{"let a = mat2x2f().x;", "6:19: A value of type mat2x2<f32> has no member x."},
        Case{"let a = bitcast<vec4f>(mat2x2f());", "6:9: mat2x2<f32> can't be seen as vec4<f32>."},
        Case{"var a = mat2x2f(); let p = &a[0][1];", "6:28: & can't take a component of a vector."},
        Case{"var a = mat2x2f(); let p = &a[0].x;", "6:28: & can't take a component of a vector."},
        Case{"var a = mat2x2f(); a++;", "6:20: ++ takes an i32 or a u32, not mat2x2<f32>."},
        Case{"var a = mat2x3f(); a *= mat2x3f();",
             "6:20: * doesn't take operands of types mat2x3<f32> and mat2x3<f32>."},
        Case{"var a = mat2x2f(); a[0].xy = vec2f();",
             "6:20: Several components can't be assigned at once, as in .xy."},
        Case{"let a = determinant(mat2x3f());", "6:9: No overload of determinant takes (mat2x3<f32>)."},
        Case{"let a = transpose(vec2f());", "6:9: No overload of transpose takes (vec2<f32>)."},
        Case{"let a = abs(mat2x2f());", "6:9: No overload of abs takes (mat2x2<f32>)."},
        Case{"let a = mat2x2f(1e39, 0, 0, 1);", "6:17: The value 1e+39 doesn't fit in f32."},
        Case{"let a = mat2x2f(0x1p127, 0, 0, 1) * 2;",
             "6:35: mat2x2<f32>(1.7014118346046923e+38, 0, 0, 1) * 2 isn't a finite number."},
        Case{"let a = mat2x2(1e308, 0, 0, 1) * 10;",
             "6:32: mat2x2<AbstractFloat>(1e+308, 0, 0, 1) * 10 isn't a finite number."},
        Case{"let a = determinant(mat2x2f(0x1p127, 0, 0, 2));",
             "6:9: determinant(mat2x2<f32>(1.7014118346046923e+38, 0, 0, 2)) isn't a "
             "finite number."},
        Case{"let a = mat2x2h();", "6:9: The type mat2x2h needs the extension f16, which isn't enabled."},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.text));
        const std::string fault = first_fault(in_main(each.text));
        CHECK_MESSAGE(fault.starts_with(each.fault), fault);
        CHECK((fault == each.fault || std::string_view(each.fault).ends_with(": ")));
    }
}
