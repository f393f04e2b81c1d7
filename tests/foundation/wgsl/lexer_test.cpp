#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/wgsl/tokens/identifier.hpp>
#include <muster/foundation/wgsl/tokens/lexer.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>
#include <muster/foundation/wgsl/tokens/utf8.hpp>
#include <muster/foundation/wgsl/tokens/xid.hpp>

using namespace muster::wgsl;

namespace {

// The tokens' text, separated by spaces; template list delimiters as [ and ].
std::string words(std::string_view text) {
    std::string out;
    for (const Token& token : tokenize(text)) {
        if (token.kind == TokenKind::end) break;
        if (!out.empty()) out += ' ';
        if (token.kind == TokenKind::template_args_start) {
            out += "[";
        } else if (token.kind == TokenKind::template_args_end) {
            out += "]";
        } else {
            out += text.substr(token.offset, token.length);
        }
    }
    return out;
}

Token first(std::string_view text) { return tokenize(text).front(); }

double number(std::string_view text) {
    REQUIRE(first(text).kind == TokenKind::number);
    REQUIRE(first(text).length == text.size());
    const Number result = read_number(text);
    REQUIRE(result.fault == NumberFault::none);
    return result.is_float ? result.value : static_cast<double>(result.integer);
}

NumberFault number_fault(std::string_view text) {
    REQUIRE(first(text).kind == TokenKind::number);
    return read_number(text).fault;
}

TokenFault fault(std::string_view text) {
    REQUIRE(first(text).kind == TokenKind::invalid);
    return first(text).fault;
}

}  // namespace

TEST_CASE("symbols are read longest first") {
    CHECK(words("a<<=b>>=c") == "a <<= b >>= c");
    CHECK(words("a--->b") == "a -- -> b");
    CHECK(words("&&&=|||=^=!==") == "&& &= || |= ^= != =");
    CHECK(words("%=%*=*/=/+=++") == "%= % *= * /= / += ++");
    CHECK(words("@~_;,.:()[]{}") == "@ ~ _ ; , . : ( ) [ ] { }");
}

TEST_CASE("template lists are told from operators") {
    CHECK(words("vec3<f32>") == "vec3 [ f32 ]");
    CHECK(words("array<vec4<f32>>") == "array [ vec4 [ f32 ] ]");
    CHECK(words("array<vec4<f32>>=x") == "array [ vec4 [ f32 ] ] = x");
    CHECK(words("var<storage,read_write> a:array<u32>;") ==
          "var [ storage , read_write ] a : array [ u32 ] ;");
    CHECK(words("a<b || c>d") == "a < b || c > d");
    CHECK(words("a<b && c>d") == "a < b && c > d");
    CHECK(words("A ( B < C, D > ( E ) )") == "A ( B [ C , D ] ( E ) )");
    CHECK(words("array<i32,select(2,3,a>b)>") == "array [ i32 , select ( 2 , 3 , a > b ) ]");
    CHECK(words("a[b<d]>()") == "a [ b < d ] > ( )");
    CHECK(words("A<B<<C>") == "A [ B << C ]");
    CHECK(words("A<B<=C>") == "A [ B <= C ]");
    CHECK(words("A<(B>=C)>") == "A [ ( B >= C ) ]");
    CHECK(words("A<(B!=C)>") == "A [ ( B != C ) ]");
    CHECK(words("A<(B==C)>") == "A [ ( B == C ) ]");
    CHECK(words("A<(B>>C)>") == "A [ ( B >> C ) ]");
    CHECK(words("if a < b { c = d > e; }") == "if a < b { c = d > e ; }");
    CHECK(words("a < b; c > d") == "a < b ; c > d");
    CHECK(words("a < b = c > d") == "a < b = c > d");
    CHECK(words("A /* x */ < // y\n B >") == "A [ B ]");
    CHECK(words("1.0f < 2 > 3") == "1.0f < 2 > 3");
    CHECK(words("true < a > b") == "true < a > b");
    CHECK(words("for (var i = 0; i < n; i++) { a >>= 1; }") ==
          "for ( var i = 0 ; i < n ; i ++ ) { a >>= 1 ; }");
}

TEST_CASE("comments nest and count lines") {
    const std::vector<Token> tokens = tokenize("/* a /* b\n */ c */ x // y\r\n\tz/**/");
    REQUIRE(tokens.size() == 3);
    CHECK(tokens[0].line == 2);
    CHECK(tokens[0].column == 10);
    CHECK(tokens[1].line == 3);
    CHECK(tokens[1].column == 2);
    const Token unclosed = first("  /* /* */");
    CHECK(unclosed.fault == TokenFault::unclosed_comment);
    CHECK(unclosed.column == 3);
    CHECK(fault("/*/") == TokenFault::unclosed_comment);
    CHECK(words("a//b") == "a");
}

TEST_CASE("every blankspace and line break of the specification counts") {
    for (const char* blank : {" ", "\t", "\xe2\x80\x8e", "\xe2\x80\x8f"}) {
        const std::vector<Token> tokens = tokenize(std::string("a") + blank + "b");
        REQUIRE(tokens.size() == 3);
        CHECK(tokens[1].line == 1);
    }
    for (const char* line_break :
         {"\n", "\r", "\r\n", "\v", "\f", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
        const std::vector<Token> tokens = tokenize(std::string("a //c") + line_break + "b");
        REQUIRE(tokens.size() == 3);
        CHECK(tokens[1].line == 2);
        CHECK(tokens[1].column == 1);
    }
}

TEST_CASE("a name is an identifier if the lexer takes it for one token of that kind") {
    const std::string_view names[] = {"a",     "_a",  "a_1",     "Z9",        "_",        "__",   "__a",
                                      "1a",    "",    "while",   "yield",     "NULL",     "i32",  "a b",
                                      "a-b",   "a.b", " a",      "a ",        "a\n",      "//a",  "a//",
                                      "Δέλτα", "аб1", "1Δ",      "a\xcc\x81", "\xcc\x81", "\xff", "a\xff",
                                      "$",     "a$",  "a\u00a0", "朝焼け",    ">",        "a<b>"};
    for (const std::string_view name : names) {
        CAPTURE(name);
        if (find_invalid_utf8(name)) {
            CHECK_FALSE(is_identifier(name));
            continue;
        }
        const auto tokens = tokenize(name);
        CHECK(is_identifier(name) == (tokens.size() == 2 && tokens[0].kind == TokenKind::identifier &&
                                      tokens[0].length == name.size()));
    }
    CHECK_FALSE(is_identifier({"a\0b", 3}));
}

TEST_CASE("keywords, reserved words and names") {
    CHECK(first("while").kind == TokenKind::while_);
    CHECK(first("alias").kind == TokenKind::alias);
    CHECK(first("const_assert").kind == TokenKind::const_assert);
    CHECK(first("NULL").kind == TokenKind::reserved);
    CHECK(first("yield").kind == TokenKind::reserved);
    CHECK(first("demote_to_helper").kind == TokenKind::reserved);
    CHECK(first("demote_to_helpers").kind == TokenKind::identifier);
    CHECK(first("i32").kind == TokenKind::identifier);
    CHECK(first("_").kind == TokenKind::underscore);
    CHECK(first("_a").kind == TokenKind::identifier);
    CHECK(fault("__a") == TokenFault::leading_underscores);
    CHECK(fault("$") == TokenFault::unexpected_character);
    for (const char* name :
         {"Δέλτα", "réflexion", "Кызыл", "𐰓𐰏𐰇", "朝焼け", "سلام", "검정", "שָׁלוֹם", "गुलाबी", "փիրուզ"}) {
        CHECK(first(name).kind == TokenKind::identifier);
        CHECK(first(name).length == std::string_view(name).size());
    }
    CHECK(fault("\xcc\x81") == TokenFault::unexpected_character);  // no name begins with a combining accent
    CHECK(is_xid_start(U'A'));
    CHECK_FALSE(is_xid_start(U'0'));
    CHECK_FALSE(is_xid_start(U'\u0301'));
    CHECK(is_xid_continue(U'\u0301'));
    CHECK_FALSE(is_xid_continue(U'\u00a0'));
    CHECK_FALSE(is_xid_continue(U'\U0010ffff'));
}

TEST_CASE("integers") {
    CHECK(number("0") == 0);
    CHECK(number("123") == 123);
    CHECK(number("4294967295u") == 4294967295.0);
    CHECK(number("2147483647i") == 2147483647.0);
    CHECK(number("0x3fi") == 63);
    CHECK(number("0XFFu") == 255);
    CHECK(read_number("9223372036854775807").integer == 9223372036854775807u);
    CHECK(number_fault("9223372036854775808") == NumberFault::too_large);
    CHECK(number_fault("0x10000000000000000") == NumberFault::too_large);
    CHECK(number_fault("4294967296u") == NumberFault::too_large);
    CHECK(number_fault("2147483648i") == NumberFault::too_large);
    CHECK(read_number("7u").suffix == 'u');
    CHECK(read_number("0xf").suffix == 0);
    CHECK_FALSE(read_number("0xf").is_float);
    CHECK(fault("012") == TokenFault::leading_zero);
    CHECK(fault("00") == TokenFault::leading_zero);
    CHECK(fault("01f") == TokenFault::leading_zero);
    CHECK(fault("0x") == TokenFault::no_hex_digits);
    CHECK(fault("0x.p1") == TokenFault::no_hex_digits);
    CHECK(fault("1abc") == TokenFault::joined_to_number);
    CHECK(fault("1u32") == TokenFault::joined_to_number);
    CHECK(fault("1.5u") == TokenFault::joined_to_number);
}

TEST_CASE("decimal floats") {
    CHECK(number("0.e+4f") == 0);
    CHECK(number("01.") == 1);
    CHECK(number(".01") == 0.01);
    CHECK(number("12.34") == 12.34);
    CHECK(number(".0f") == 0);
    CHECK(number("0h") == 0);
    CHECK(number("1e-3") == 1e-3);
    CHECK(number("1E5f") == 1e5);
    CHECK(number("0.1f") == static_cast<double>(0.1f));
    CHECK(number("0.1") == 0.1);
    // Rounded once: through f64 this would be 1.0.
    CHECK(number("1.00000005960464477540f") == 1.0 + 0x1p-23);
    CHECK(number("1e-45f") == 0x1p-149);
    CHECK(number("1e-60f") == 0);
    CHECK(number("1e-99999999999999999999") == 0);
    CHECK(number("0e99999999999999999999") == 0);
    CHECK(number("3.4028235e38f") == 0x1.fffffep127);
    CHECK(number_fault("3.5e38f") == NumberFault::too_large);
    CHECK(number_fault("1e309") == NumberFault::too_large);
    CHECK(number_fault("1e99999999999999999999") == NumberFault::too_large);
    CHECK(number("65504h") == 65504);
    CHECK(number_fault("65520h") == NumberFault::too_large);
    CHECK(fault("1e") == TokenFault::no_exponent_digits);
    CHECK(fault("1e+") == TokenFault::no_exponent_digits);
    CHECK(words("1.5.5") == "1.5 .5");
}

TEST_CASE("hexadecimal floats") {
    CHECK(number("0xa.fp+2") == 43.75);
    CHECK(number("0x1P+4f") == 16);
    CHECK(number("0X.3") == 0.1875);
    CHECK(number("0x3p+2h") == 12);
    CHECK(number("0X1.fp-4") == 0.12109375);
    CHECK(number("0x1.fffffep127f") == 0x1.fffffep127);
    CHECK(number("0x1p-149f") == 0x1p-149);
    CHECK(number("0x1p-1074") == 0x1p-1074);
    CHECK(number("0x0p9999999999999") == 0);
    CHECK(number("0x1.00000000000008p0") == 1.0);  // a tie rounds to even
    CHECK(number("0x1.000000000000080000000001p0") == 0x1.0000000000001p0);
    CHECK(number_fault("0x1.00000001p0f") == NumberFault::inexact);
    CHECK(number_fault("0x1p-150f") == NumberFault::inexact);
    CHECK(number_fault("0x1.004p0h") == NumberFault::none);
    CHECK(number_fault("0x1.002p0h") == NumberFault::inexact);
    CHECK(number_fault("0x1p128f") == NumberFault::too_large);
    CHECK(number_fault("0x1p1024") == NumberFault::too_large);
    CHECK(number_fault("0x1p999999999999999999999") == NumberFault::too_large);
    CHECK(fault("0x1p") == TokenFault::no_exponent_digits);
    CHECK(fault("0x1.8h") == TokenFault::joined_to_number);
}

TEST_CASE("UTF-8 is told from other bytes") {
    CHECK_FALSE(find_invalid_utf8("aé朝𐰓").has_value());
    CHECK(find_invalid_utf8("a\xff") == 1u);
    CHECK(find_invalid_utf8("\xc0\x80") == 0u);          // overlong
    CHECK(find_invalid_utf8("\xed\xa0\x80") == 0u);      // a surrogate
    CHECK(find_invalid_utf8("\xf4\x90\x80\x80") == 0u);  // over U+10FFFF
    CHECK(find_invalid_utf8("ab\xe2\x80") == 2u);        // truncated
    CHECK(find_invalid_utf8("\x80") == 0u);
}
