#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <muster/foundation/base/source.hpp>

using namespace muster;

namespace {

SourceFile file(std::string text) { return {"a.wgsl", std::make_shared<const std::string>(std::move(text))}; }

}  // namespace

TEST_CASE("a fault is shown with its place, its line, a caret and a fix") {
    const SourceFile source = file("let a = 1;\nlet b = c;\n");
    CHECK(render({{0, 2, 9}, "No 'c' is declared.", "declare it."}, source) ==
          "a.wgsl:2:9: error: No 'c' is declared.\n"
          "let b = c;\n"
          "        ^\n"
          "Fix: declare it.");
}

TEST_CASE("what isn't known is left out") {
    CHECK(render({{}, "It fails.", ""}, file("x")) == "a.wgsl: error: It fails.");
    CHECK(render({{0, 1, 1}, "It fails.", ""}, {"a.cpp", nullptr}) == "a.cpp:1:1: error: It fails.");
    CHECK(to_string({0, 7, 5}, file("")) == "a.wgsl:7:5");
    CHECK(to_string({}, file("")) == "a.wgsl");
}

TEST_CASE("every line break of WGSL ends a line") {
    for (const char* line_break :
         {"\n", "\r", "\r\n", "\v", "\f", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
        const SourceFile source = file(std::string("one") + line_break + "two" + line_break + "three");
        CHECK(render({{0, 2, 3}, "M.", ""}, source) == "a.wgsl:2:3: error: M.\ntwo\n  ^");
        CHECK(render({{0, 3, 1}, "M.", ""}, source) == "a.wgsl:3:1: error: M.\nthree\n^");
    }
    CHECK(line_break_at("\r\n", 0) == 2);
    CHECK(line_break_at("\rx", 0) == 1);
    CHECK(line_break_at("\xe2\x80\xaa", 0) == 0);
    CHECK(line_break_at("\xe2\x80", 0) == 0);
}

TEST_CASE("tabs and control characters are shown as spaces") {
    CHECK(render({{0, 1, 3}, "M.", ""}, file("\tax\x1b[31m\x7f")) == "a.wgsl:1:3: error: M.\n ax [31m \n  ^");
    // U+202E reverses the writing direction; U+009B begins a terminal command; a stray byte isn't valid text.
    CHECK(render({{0, 1, 8}, "M.", ""}, file("a\xe2\x80\xae"
                                             "b\xc2\x9b"
                                             "c\xff")) == "a.wgsl:1:8: error: M.\na b c \n    ^");
}

TEST_CASE("the caret counts characters where columns count bytes") {
    CHECK(render({{0, 1, 6}, "M.", ""}, file("\xc3\xa9\xc3\xa9 x")) ==
          "a.wgsl:1:6: error: M.\n\xc3\xa9\xc3\xa9 x\n   ^");
}

TEST_CASE("a caret may stand behind the line's end, or behind the text's") {
    CHECK(render({{0, 1, 4}, "M.", ""}, file("abc\nd")) == "a.wgsl:1:4: error: M.\nabc\n   ^");
    CHECK(render({{0, 9, 9}, "M.", ""}, file("abc\n")) == "a.wgsl:9:9: error: M.\n\n^");
}

TEST_CASE("long lines are cut around the column") {
    const std::string text = std::string(5000, 'a') + "!" + std::string(5000, 'b');
    const std::string shown = render({{0, 1, 5001}, "M.", ""}, file(text));
    CHECK(shown.size() < 300);
    const std::size_t line = shown.find('\n') + 1;
    const std::size_t caret_line = shown.find('\n', line) + 1;
    CHECK(shown.substr(line, 3) == "...");
    CHECK(shown[line + (shown.find('^') - caret_line)] == '!');
}
