#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/foundation/base/printable.hpp>

namespace {

using muster::printable;
using namespace std::string_view_literals;

TEST_CASE("printable text stays as it is") {
    for (const std::string_view text : {""sv, "cuda:1"sv, "C:\\x1b\\n \"quoted\" 'too'"sv, "\\"sv, "\\\""sv,
                                        "J\u00e4ger \u2192 \u5b89 \U0001f600"sv})
        CHECK(printable(text) == text);
}

TEST_CASE("what isn't printable is escaped") {
    CHECK(printable("\x1b[31mred\a"sv) == "\\x1b[31mred\\x07");
    CHECK(printable("one\ntwo\r\tthree\0four\x7f"sv) == "one\\ntwo\\r\\tthree\\x00four\\x7f");
    CHECK(printable("\xc2\x9b"
                    "2J"sv) == "\\x9b2J");  // a control sequence in a single character
    CHECK(printable("\u202egnp.exe"sv) == "\\u202egnp.exe");
    CHECK(printable("line\u2028line"sv) == "line\\u2028line");
}

TEST_CASE("bytes that aren't UTF-8 are escaped") {
    CHECK(printable("a\xff\xfe"
                    "b"sv) == "a\\xff\\xfeb");
    CHECK(printable("cut \xe2\x80"sv) == "cut \\xe2\\x80");
    CHECK(printable("\xc0\xaf"sv) == "\\xc0\\xaf");           // overlong
    CHECK(printable("\xed\xa0\x80"sv) == "\\xed\\xa0\\x80");  // half of a surrogate pair
}

TEST_CASE("no byte gets through that a terminal obeys") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string shown = printable(std::string(1, static_cast<char>(byte)));
        for (const char c : shown) CHECK((c >= ' ' && c <= '~'));
        CHECK((byte < ' ' || byte > '~') == (shown.size() > 1));
    }
}

}  // namespace
