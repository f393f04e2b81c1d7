#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/foundation/wgsl/parse/parser.hpp>

using namespace muster;
using namespace muster::wgsl;

namespace {

ParsedModule parsed_module(std::string text) {
    return parse_module({"t.wgsl", std::make_shared<const std::string>(std::move(text))});
}

// Prints a tree as nested lists, `(operator operand operand)`.
struct Dump {
    const ast::Module& module;

    std::string list(ast::Range<ast::ExpressionId> range) const {
        std::string out;
        for (const ast::ExpressionId each : module[range]) out += " " + expression(each);
        return out;
    }
    std::string expression(ast::ExpressionId id) const {
        if (!id) return "-";
        static constexpr const char* unary[] = {"-", "!", "~", "*", "&"};
        static constexpr const char* binary[] = {"+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
                                                 ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
        const ast::Expression& e = module[id];
        switch (e.kind) {
            case ast::ExpressionKind::identifier:
                return std::string(e.name) + (e.has_template ? "<" + list(e.list) + " >" : "");
            case ast::ExpressionKind::bool_literal:
            case ast::ExpressionKind::int_literal:
            case ast::ExpressionKind::float_literal: return std::string(e.name);
            case ast::ExpressionKind::unary:
                return std::string("(") + unary[static_cast<int>(e.unary)] + " " + expression(e.a) + ")";
            case ast::ExpressionKind::binary:
                return std::string("(") + binary[static_cast<int>(e.binary)] + " " + expression(e.a) + " " +
                       expression(e.b) + ")";
            case ast::ExpressionKind::call: return "(call " + expression(e.a) + list(e.list) + ")";
            case ast::ExpressionKind::index: return "(at " + expression(e.a) + " " + expression(e.b) + ")";
            case ast::ExpressionKind::member: return "(." + std::string(e.name) + " " + expression(e.a) + ")";
        }
        return "?";
    }
    std::string attributes(ast::Range<ast::Attribute> range) const {
        std::string out;
        for (const ast::Attribute& each : module[range])
            out += "@" + std::string(each.name) + "(" + list(each.arguments) + ") ";
        return out;
    }
    std::string variable(const ast::Variable& v) const {
        static constexpr const char* kinds[] = {"const", "override", "let", "var"};
        return attributes(v.attributes) + kinds[static_cast<int>(v.kind)] + "<" + list(v.templates) + "> " +
               std::string(v.name) + ":" + expression(v.type) + "=" + expression(v.initial);
    }
    std::string statement(ast::StatementId id) const {
        if (!id) return "-";
        const ast::Statement& s = module[id];
        const std::string a = expression(s.a), b = expression(s.b), before = attributes(s.attributes);
        switch (s.kind) {
            case ast::StatementKind::compound: {
                std::string out = before + "{";
                for (const ast::StatementId each : module[s.statements]) out += " " + statement(each);
                return out + " }";
            }
            case ast::StatementKind::variable: return variable(module[s.variable]);
            case ast::StatementKind::assign: return a + "=" + b;
            case ast::StatementKind::compound_assign:
                return a + "op" + std::to_string(static_cast<int>(s.op)) + "=" + b;
            case ast::StatementKind::phony_assign: return "_=" + b;
            case ast::StatementKind::increment: return a + "++";
            case ast::StatementKind::decrement: return a + "--";
            case ast::StatementKind::call: return a;
            case ast::StatementKind::const_assert: return "assert " + a;
            case ast::StatementKind::if_:
                return before + "if " + a + statement(s.body) + " else " + statement(s.otherwise);
            case ast::StatementKind::switch_: {
                std::string out = before + "switch " + a + attributes(s.body_attributes) + "[";
                for (const ast::Case& each : module[s.cases])
                    out += " " + list(each.selectors) + (each.is_default ? " default" : "") +
                           statement(each.body);
                return out + " ]";
            }
            case ast::StatementKind::loop:
                return before + "loop" + statement(s.body) + " continuing " + statement(s.continuing);
            case ast::StatementKind::for_:
                return before + "for " + statement(s.init) + ";" + a + ";" + statement(s.update) +
                       statement(s.body);
            case ast::StatementKind::while_: return before + "while " + a + statement(s.body);
            case ast::StatementKind::break_: return "break";
            case ast::StatementKind::break_if: return "break-if " + a;
            case ast::StatementKind::continue_: return "continue";
            case ast::StatementKind::return_: return "return " + a;
            case ast::StatementKind::discard: return "discard";
        }
        return "?";
    }
};

std::string first_faults(const ParsedModule& parsed) {
    std::string out;
    for (const Diagnostic& each : parsed.faults) out += render(each, parsed.module.file) + "\n";
    return out;
}

// The tree of an expression.
std::string expression(const std::string& text) {
    const ParsedModule parsed = parsed_module("const x = " + text + ";");
    REQUIRE_MESSAGE(parsed.faults.empty(), first_faults(parsed));
    return Dump{parsed.module}.expression(parsed.module.variables[0].initial);
}

// The tree of a function's body.
std::string body(const std::string& text) {
    const ParsedModule parsed = parsed_module("fn f() {" + text + "}");
    REQUIRE_MESSAGE(parsed.faults.empty(), first_faults(parsed));
    return Dump{parsed.module}.statement(parsed.module.functions[0].body);
}

// "line:column message" of each fault.
std::string faults(const std::string& text) {
    std::string out;
    for (const Diagnostic& each : parsed_module(text).faults) {
        CHECK(each.message.ends_with("."));
        CHECK(each.fix.ends_with("."));
        if (!out.empty()) out += "\n";
        out += std::to_string(each.where.line) + ":" + std::to_string(each.where.column) + " " + each.message;
    }
    return out;
}
std::string body_faults(const std::string& text) { return faults("fn f() {\n" + text + "\n}"); }

const std::string corpus = R"(// Every construct of the language.
enable f16, subgroups,;
requires pointer_composite_access;
diagnostic(off, derivative_uniformity);
diagnostic(warning, a.b,);
alias Vector = vec4<f32>;
struct Particle { @align(16) @size(32) position: Vector, mass: array<f32, 3 * 2>, }
const two = 2 + 0x0p1f;
const_assert two > 1;
@id(7) override scale: f32 = 1.5e-3f;
override free: u32;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
var<private> counter = array(1, 2, 3)[1];
var<workgroup> shared_sum: atomic<u32>;
@must_use fn helper(@builtin(position) p: ptr<function, array<i32, 4>>, x: f32,) -> @location(0) mat2x2<f32> {
    return mat2x2<f32>(x, -x, *&x, f32(!(x < 1 || false)));
}
@compute @workgroup_size(8, 8u, scale_x / 2,)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var i: i32; let a = id.xy.x; const c: u32 = 7u; ;
    i = 1; i += 2; i -= 1; i *= 3; i /= 2; i %= 5; i &= 7; i |= 8; i ^= 1; i <<= 2u; i >>= 1u; i++; i--;
    _ = a; (i) = 3; *(&i) = 4; particles[a + 1].mass[2] = helper(&i, 1)[0][1];
    if a < c { discard; } else if (a >> 1u) == (c & 3) { return; } else { workgroupBarrier(); }
    switch i { case 0, 1: { } case 2, default, { break; } case 3 { } }
    loop { if i > 4 { continue; } i++; continuing { i += 1; break if i > 9; } }
    @diagnostic(off, a.b) for (var j = 0u; j < 4; j++) { atomicAdd(&shared_sum, j); }
    for (;;) { break; }
    while i != 0 { i--; }
    { const_assert true; }
}
)";

}  // namespace

TEST_CASE("operators bind as the grammar says") {
    CHECK(expression("a + b * c - d") == "(- (+ a (* b c)) d)");
    CHECK(expression("a - b - c") == "(- (- a b) c)");
    CHECK(expression("a * -b % c") == "(% (* a (- b)) c)");
    CHECK(expression("a << 1u < b + 2") == "(< (<< a 1u) (+ b 2))");
    CHECK(expression("a < b && c >= d && !e") == "(&& (&& (< a b) (>= c d)) (! e))");
    CHECK(expression("a == b || c != d") == "(|| (== a b) (!= c d))");
    CHECK(expression("a | b | ~c") == "(| (| a b) (~ c))");
    CHECK(expression("(a | b) & c") == "(& (| a b) c)");
    CHECK(expression("a--b") == "(- a (- b))");
    CHECK(expression("- - --a") == "(- (- (- (- a))))");
    CHECK(expression("&&a") == "(& (& a))");
    CHECK(expression("*&a.b[c]") == "(* (& (at (.b a) c)))");
    CHECK(expression("f(a, g(),)[1].xy") == "(.xy (at (call f a (call g)) 1))");
    CHECK(expression("array<vec2<f32>, (1 > 2)>(x)") == "(call array< vec2< f32 > (> 1 2) > x)");
    CHECK(expression("a < b") == "(< a b)");
    CHECK(expression("true != false") == "(!= true false)");
}

TEST_CASE("operators that have no order beside each other need parentheses") {
    for (const char* text :
         {"x & y ^ z", "x | y & z", "x + y << z", "x << y << z", "(x) < y > z", "x < y == z", "x && y || z",
          "x || y && z", "x & y == z", "x == y & z", "x << y + z", "a + b | c"}) {
        CAPTURE(text);
        CHECK(faults(std::string("const a = ") + text + ";").find("no order") != std::string::npos);
    }
}

TEST_CASE("literals carry their values") {
    const ParsedModule parsed = parsed_module("const a = vec4(0x10u, 2.5f, 1e3, true);");
    REQUIRE(parsed.faults.empty());
    const auto arguments = parsed.module[parsed.module[parsed.module.variables[0].initial].list];
    CHECK(parsed.module[arguments[0]].integer == 16);
    CHECK(parsed.module[arguments[0]].suffix == 'u');
    CHECK(parsed.module[arguments[1]].number == 2.5);
    CHECK(parsed.module[arguments[1]].suffix == 'f');
    CHECK(parsed.module[arguments[2]].number == 1000.0);
    CHECK(parsed.module[arguments[2]].suffix == 0);
    CHECK(parsed.module[arguments[3]].integer == 1);
}

TEST_CASE("every statement is read") {
    CHECK(body(";;") == "{ }");
    CHECK(body("var<function> a: i32 = 1; let b = a; const c: f32 = 2;") ==
          "{ var< function> a:i32=1 let<> b:-=a const<> c:f32=2 }");
    CHECK(body("a = b; *p += 1; _ = c; d[0]++; e.x--; f();") ==
          "{ a=b (* p)op0=1 _=c (at d 0)++ (.x e)-- (call f) }");
    CHECK(body("a >>= 1; b <<= 2; c ^= 3;") == "{ aop9=1 bop8=2 cop7=3 }");
    CHECK(body("if a {} else if (b) {} else { c(); }") == "{ if a{ } else if b{ } else { (call c) } }");
    CHECK(body("switch (a) { case 1, 2: { b(); } default { } case 3, { } }") ==
          "{ switch a[  1 2{ (call b) }  default{ }  3{ } ] }");
    CHECK(body("switch a @x { case 1, default: { } }") == "{ switch a@x() [  1 default{ } ] }");
    CHECK(body("loop { a(); continuing { b(); break if c; } }") ==
          "{ loop{ (call a) } continuing { (call b) break-if c } }");
    CHECK(body("for (var i = 0; i < 4; i++) { continue; }") == "{ for var<> i:-=0;(< i 4);i++{ continue } }");
    CHECK(body("for (;;) { break; }") == "{ for -;-;-{ break } }");
    CHECK(body("for (a(); ; b = 1) { }") == "{ for (call a);-;b=1{ } }");
    CHECK(body("while a { return; } return b;") == "{ while a{ return - } return b }");
    CHECK(body("@a(1) { const_assert b; } @c if d { }") == "{ @a( 1) { assert b } @c() if d{ } else - }");
}

TEST_CASE("every declaration is read") {
    const ParsedModule parsed = parsed_module(corpus);
    REQUIRE_MESSAGE(parsed.faults.empty(), first_faults(parsed));
    const ast::Module& m = parsed.module;
    REQUIRE(m.directives.size() == 4);
    CHECK(m[m.directives[0].names].size() == 2);
    CHECK(m[m.directives[0].names][1].text == "subgroups");
    CHECK(m[m.directives[3].names][2].text == "b");
    REQUIRE(m.declarations.size() == 11);
    CHECK(m.declarations[3].kind == ast::DeclarationKind::const_assert);
    CHECK(m.aliases[0].name == "Vector");
    CHECK(m.structures[0].name == "Particle");
    const auto members = m[m.structures[0].members];
    REQUIRE(members.size() == 2);
    CHECK(members[1].name == "mass");
    const Dump dump{m};
    CHECK(dump.attributes(members[0].attributes) == "@align( 16) @size( 32) ");
    CHECK(dump.variable(m.variables[1]) == "@id( 7) override<> scale:f32=1.5e-3f");
    CHECK(dump.variable(m.variables[3]) ==
          "@group( 0) @binding( 1) var< storage read_write> particles:array< Particle >=-");
    REQUIRE(m.functions.size() == 2);
    CHECK(dump.attributes(m.functions[1].attributes) == "@compute() @workgroup_size( 8 8u (/ scale_x 2)) ");
    CHECK(dump.expression(m.functions[0].result) == "mat2x2< f32 >");
    CHECK(dump.attributes(m.functions[0].result_attributes) == "@location( 0) ");
    const auto parameters = m[m.functions[0].parameters];
    REQUIRE(parameters.size() == 2);
    CHECK(dump.expression(parameters[0].type) == "ptr< function array< i32 4 > >");
    CHECK(m.functions[1].where.line == 19);
    CHECK(m.functions[1].where.column == 4);
}

TEST_CASE("an empty text and comments alone are modules") {
    for (const char* text : {"", "\n", "// x", "/* */", ";;;"}) {
        const ParsedModule parsed = parsed_module(text);
        CHECK(parsed.faults.empty());
        CHECK(parsed.module.declarations.empty());
    }
}

TEST_CASE("a fault says where, what and what to do") {
    CHECK(faults("const a = 1") == "1:12 A declaration ends in ';', but the end of the text follows.");
    CHECK(faults("let a = 1;") == "1:1 'let' stands in functions only, not at module scope.");
    CHECK(faults("var x;") == "1:5 'x' has neither a type nor a value.");
    CHECK(faults("const get = 1;") == "1:7 'get' is a word that WGSL reserves.");
    CHECK(faults("const if = 1;") ==
          "1:7 A const declaration needs a name here, but the keyword 'if' stands here.");
    CHECK(faults("const a = 5000000000u;") ==
          "1:11 The number '5000000000u' is over 4294967295, the largest u32.");
    CHECK(faults("struct A { }") == "1:8 The struct 'A' has no members.");
    CHECK(faults("struct A { a: f32; b: f32 }") == "1:18 ';' stands behind a struct's member.");
    CHECK(faults("fn f(a) {}") == "1:7 A parameter needs ':' here, but ')' stands here.");
    CHECK(faults("const a = 1; enable f16;") == "1:14 The directive 'enable' stands behind a declaration.");
    CHECK(faults("}") == "1:1 This '}' closes nothing.");
    CHECK(faults("@group(0) const a = 1;") == "1:1 The attribute '@group' can't stand before 'const'.");
    CHECK(faults("const a = 'x';") == "1:11 WGSL has no strings and no character literals.");
    CHECK(faults("const a = b ? c : d;") == "1:13 WGSL has no conditional operator.");
    CHECK(faults("/* open") == "1:1 This comment isn't closed: the text ends first.");
    CHECK(faults("const a: array<> = b;") == "1:10 The template list of 'array' is empty.");
    CHECK(body_faults("a;") == "2:1 An expression alone isn't a statement.");
    CHECK(body_faults("int x = 3;") ==
          "2:1 'int' begins no statement: WGSL writes a variable's type behind its name.");
    CHECK(body_faults("break if a;") ==
          "2:1 'break if' stands only as the last statement of a continuing block.");
    CHECK(body_faults("++i;") == "2:1 '++' stands behind a variable, not before it.");
    CHECK(body_faults("switch a { case 1: { } }") == "2:1 The switch has no default clause.");
    CHECK(body_faults("switch a { default: { } default: { } }") ==
          "2:1 The switch has 2 default clauses, more than the one it needs.");
    CHECK(body_faults("loop { continuing { } a(); }") ==
          "2:23 'continuing' is the last statement of its loop, but 'a' follows.");
    CHECK(body_faults("@x let a = 1;") == "2:1 The attribute '@x' can't stand before this statement.");
    CHECK(body_faults("struct A { a: f32 }").starts_with("2:1 'struct' stands at module scope only"));
}

TEST_CASE("each statement in error has one fault, and reading goes on behind it") {
    CHECK(body_faults("a = ;\nb = 1;\nc = (;\nlet d;\ne +;\n") ==
          "2:5 An expression is needed here, but ';' stands here.\n"
          "4:6 An expression is needed here, but ';' stands here.\n"
          "5:6 A let declaration needs '=' here, but ';' stands here.\n"
          "6:1 An expression alone isn't a statement.");
    CHECK(body_faults("let a = 1\nlet b = ;\nreturn\n") ==
          "2:10 A declaration ends in ';', but 'let' follows.\n"
          "3:9 An expression is needed here, but ';' stands here.\n"
          "4:7 A return ends in ';', but '}' follows.");
    CHECK(body_faults("if (a { b = ; } else { c = ; }\nd = ;") ==
          "2:7 An expression in parentheses needs ')' here, but '{' stands here.\n"
          "2:13 An expression is needed here, but ';' stands here.\n"
          "2:28 An expression is needed here, but ';' stands here.\n"
          "3:5 An expression is needed here, but ';' stands here.");
    CHECK(body_faults("for (var i = 0, i < 4; i++) { a = ; }") ==
          "2:15 The first part of a for needs ';' here, but ',' stands here.\n"
          "2:35 An expression is needed here, but ';' stands here.");
    CHECK(body_faults("switch a { case : { } case 2 { b = ; } foo default { } }") ==
          "2:17 An expression is needed here, but ':' stands here.\n"
          "2:36 An expression is needed here, but ';' stands here.\n"
          "2:40 A switch holds 'case' and 'default' clauses, but 'foo' stands here.");
    CHECK(faults("fn f( { a = ; }\nconst b = ;\nstruct C { d e, f: g, h }\nfn i() { }") ==
          "1:7 A parameter needs a name here, but '{' stands here.\n"
          "1:13 An expression is needed here, but ';' stands here.\n"
          "2:11 An expression is needed here, but ';' stands here.\n"
          "3:14 A struct's member needs ':' here, but 'e' stands here.\n"
          "3:25 A struct's member needs ':' here, but '}' stands here.");
}

TEST_CASE("a block that isn't closed is one fault, at its brace") {
    CHECK(faults("fn f() {\n  if a {\n    b();\n}\nfn g() { }") ==
          "1:8 This '{' isn't closed: 'fn' on line 5 comes first.");
    CHECK(faults("fn f() { loop { if a { b(); ") ==
          "1:22 This '{' isn't closed: the end of the text on line 1 comes first.");
    CHECK(faults("fn f() { a();\n@compute @workgroup_size(1)\nfn g() { b = ; }") ==
          "1:8 This '{' isn't closed: 'fn' on line 3 comes first.\n"
          "3:14 An expression is needed here, but ';' stands here.");
}

TEST_CASE("at most twenty faults are told") {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "a = ;\n";
    CHECK(parsed_module("fn f() {" + text + "}").faults.size() == max_faults);
    CHECK(parsed_module(text).faults.size() == max_faults);
}

TEST_CASE("text that isn't clean Unicode is refused with its place") {
    CHECK(faults("const a = 1;\n  \xff") == "2:3 The text isn't UTF-8: the byte 0xFF is invalid here.");
    CHECK(faults("// \xe2\x82\n") == "1:4 The text isn't UTF-8: the byte 0xE2 is invalid here.");
    CHECK(faults(std::string("const a\0 = 1;", 13)) ==
          "1:8 The text has a null character (U+0000), which WGSL doesn't allow.");
    CHECK(faults("\xef\xbb\xbf") == "1:1 The text begins with a byte order mark, which WGSL doesn't allow.");
    CHECK(faults(std::string(max_text_bytes + 1, ' ')).starts_with("1:1 The text has 67108865 bytes"));
    CHECK(faults("const \xe2\x80\xa6 = 1;") == "1:7 The character U+2026 is part of no WGSL token.");
}

TEST_CASE("what the limits allow is read") {
    const auto nest = [](std::size_t count, const std::string& open, const std::string& middle,
                         const std::string& close) {
        std::string out;
        for (std::size_t i = 0; i < count; ++i) out += open;
        out += middle;
        for (std::size_t i = 0; i < count; ++i) out += close;
        return out;
    };
    CHECK(body_faults(nest(512, "{", "", "}")).empty());
    CHECK(body_faults(nest(513, "{", "", "}")) == "2:513 Blocks are nested more than 512 levels deep.");
    CHECK(body_faults("a = " + nest(249, "(", "b", ")") + ";").empty());
    CHECK(body_faults("a = " + nest(250, "(", "b", ")") + ";").find("nested more than 250") !=
          std::string::npos);
    CHECK(body_faults("a = b" + nest(999, "+ b", "", "") + ";").empty());
    CHECK(body_faults("a = b" + nest(1000, "+ b", "", "") + ";").find("more than 1000 operations") !=
          std::string::npos);
    CHECK(body_faults("if a {}" + nest(512, " else if a {}", "", "") + " else {}").empty());
    CHECK(body_faults("if a {}" + nest(513, " else if a {}", "", "")).find("More than 512 'else if'") !=
          std::string::npos);
}

namespace {

// Parses `before` and then `piece` repeated to this many bytes. No time is asserted: a parser that takes time
// quadratic in a megabyte or worse reaches the runner's time limit.
void read_repeated(const std::string& before, const std::string& piece, std::size_t bytes) {
    CAPTURE(before);
    CAPTURE(piece);
    std::string text = before;
    while (text.size() < bytes) text += piece;
    const ParsedModule parsed = parsed_module(std::move(text));
    CHECK(parsed.faults.size() <= max_faults);
}

}  // namespace

TEST_CASE("a megabyte of anything is read to its end") {
    for (const char* piece :
         {"(", "{", "[", "<", "-", "!", "&", "a(", "if(x){", "a<", "/*", "a", "9", ";", "\""})
        read_repeated("", piece, 1'000'000);
    for (const char* piece : {"(", "[", "a(", "a+", "a.", "!"})
        read_repeated("fn f() { a = ", piece, 1'000'000);
}

TEST_CASE("what is repeated is read to its end") {
    // clang-format off
    for (const char* piece : {
             "(", "{", "[", "<", "-", "!", "&", "*", "@", ">", ">>", ";", "}", ")", "\n", "//", "/*", "/**/", "\"",
             "a", "a ", "a(", "a[", "a.", "a<", "a<b,", "a+", "a=", "a;", "a=(;", "@a(", "f(a)<=b>", "9", "1.", "0x1",
             "\xc3\xa9", "if(x){", "else if a{", "if a{}else ", "case 1:", "switch a{", "switch a { default {", "loop{",
             "loop{continuing{", "for(", "while a{", "return ", "fn", "fn f(){", "fn f(){a=;", "struct A{", "var<",
             "const a=", "alias a=", "enable a,"})
        for (const char* before : {"", "fn f() { ", "fn f() { a = ", "const a = "})
            read_repeated(before, piece, 50'000);
    // clang-format on
}

TEST_CASE("a valid text cut anywhere is read or refused") {
    for (std::size_t size = 0; size <= corpus.size(); ++size) {
        const ParsedModule parsed = parsed_module(corpus.substr(0, size));
        CHECK(parsed.faults.size() <= max_faults);
    }
}

TEST_CASE("a valid text with bytes changed is read or refused") {
    std::mt19937 random(20240607);
    const std::string bytes = std::string("(){}[]<>;,:.@=+-*/%&|^!~_ \n\0\x80\xff", 30) + "a1fxu0";
    for (int round = 0; round < 3000; ++round) {
        std::string text = corpus;
        for (std::size_t change = 0; change <= random() % 4; ++change) {
            const std::size_t at = random() % text.size();
            const char byte = bytes[random() % bytes.size()];
            if (random() % 3 == 0) {
                text.erase(at, random() % 20);
            } else if (random() % 2 == 0) {
                text[at] = byte;
            } else {
                text.insert(at, 1 + random() % 3, byte);
            }
        }
        const ParsedModule parsed = parsed_module(text);
        REQUIRE(parsed.faults.size() <= max_faults);
        if (parsed.faults.empty()) {
            const Dump dump{parsed.module};
            for (const ast::Function& each : parsed.module.functions)
                REQUIRE(!dump.statement(each.body).empty());
        }
        for (const Diagnostic& each : parsed.faults) REQUIRE(each.where.line != 0);
    }
}
