// Calls whose callee could access one variable in two ways, one of them writing (WGSL section "Alias Analysis";
// the first cases are its example).

#include <array>

#include "support/parse.hpp"

using namespace muster;
using test::first_fault;

namespace {

constexpr const char* module_text =
    "var<private> x: i32; var<private> a: array<i32, 4>;\n"
    "var<workgroup> w: array<atomic<u32>, 2>;\n"
    "fn f1(p1: ptr<function, i32>, p2: ptr<function, i32>) { *p1 = *p2; }\n"
    "fn f2(p1: ptr<function, i32>, p2: ptr<function, i32>) { f1(p1, p2); }\n"
    "fn f4(p1: ptr<function, i32>, p2: ptr<function, i32>) -> i32 { return *p1 + *p2; }\n"
    "fn f6(p: ptr<private, i32>) { x = *p; }\n"
    "fn f7(p: ptr<private, i32>) -> i32 { return x + *p; }\n"
    "fn named() -> i32 { return f7(&a[0]); }\n"
    "fn through(p: ptr<private, i32>) -> i32 { let q = p; *q += 1; return named(); }\n"
    "fn unused(p1: ptr<function, i32>, p2: ptr<function, i32>) { let q = p2; *p1 = 1; }\n"
    "fn parts(p: ptr<private, i32>, q: ptr<private, i32>) { *p = *q; }\n"
    "fn counts(p: ptr<workgroup, atomic<u32>>, q: ptr<workgroup, atomic<u32>>) {\n"
    "    atomicAdd(p, atomicLoad(q)); }\n"
    "fn inner(p: ptr<function, array<i32, 4>>) { f1(&p[0], &(*p)[1]); }\n";

std::string body(const char* statements) {
    return std::string(module_text) + "@compute @workgroup_size(1) fn main() {\nvar v = 0; var u = 0;\n" +
           statements + "\n}";
}

}  // namespace

TEST_CASE("a call that could reach one variable in two ways, and writes to it, is refused") {
    CHECK(first_fault(body("")) ==
          "14:55: The parameters p1 and p2 of f1 both point into p, and f1 writes through one of them.");
    struct Case {
        const char* statements;
        const char* fault;
    };
    constexpr std::array cases{
        Case{"f2(&v, &v);",
             "The parameters p1 and p2 of f2 both point into v, and f2 writes through one of them."},
        Case{"let p = &v; f1(p, &u); f1(&u, p); f1(&*p, p);",
             "The parameters p1 and p2 of f1 both point into v, and f1 writes through one of them."},
        Case{"f6(&x);", "f6 reaches x through its parameter p and by its name too, and writes to it."},
        Case{"_ = through(&x);",
             "through reaches x through its parameter p and by its name too, and writes to it."},
        Case{"parts(&a[0], &a[1]);",
             "The parameters p and q of parts both point into a, and parts writes through one of them."},
        Case{"counts(&w[0], &w[1]);",
             "The parameters p and q of counts both point into w, and counts writes through one of them."},
        Case{"f1(&v, &u); f2(&u, &v);", ""},
        Case{"_ = f4(&v, &v);", ""},
        Case{"_ = f7(&x) + f7(&a[1]);", ""},
        Case{"_ = through(&a[1]);",
             "through reaches a through its parameter p and by its name too, and writes to it."},
        Case{"unused(&v, &v);", ""},
        Case{"parts(&x, &a[1]);", ""},
    };
    for (const Case& each : cases) {
        CAPTURE(each.statements);
        std::string whole = body(each.statements);  // without inner(), which is invalid by itself
        const std::size_t inner = whole.find("fn inner");
        whole.erase(inner, whole.find('\n', inner) - inner);
        const std::string fault = first_fault(whole);
        const std::string sentence = fault.empty() ? fault : fault.substr(fault.find(' ') + 1);
        CHECK(sentence == each.fault);
    }
}
