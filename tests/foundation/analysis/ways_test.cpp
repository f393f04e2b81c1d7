#include <muster/foundation/analysis/ways.hpp>

#include "support/parse.hpp"

using namespace muster;

namespace {

/// The first construct of a kernel with this body.
struct Construct {
    explicit Construct(const std::string& body)
        : program(test::parse("@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                              "@group(0) @binding(1) var<uniform> n: u32;\n"
                              "@compute @workgroup_size(8) fn main() { " +
                              body + " }")) {
        for (const NodeId each : program.block(program.body()))
            if (!node && !program.blocks(each).empty()) node = each;
    }
    Program program;
    NodeId node;
};

Ways ways(const std::string& body) {
    const Construct made(body);
    return ways_of(made.program, made.node);
}
/// The ways out of the first block of the first construct.
Ways ways_inside(const std::string& body) {
    const Construct made(body);
    return ways_of(made.program, made.program.blocks(made.node)[0]);
}

constexpr Ways on{.next = true}, returns{.returns = true}, either{.next = true, .returns = true};

}  // namespace

TEST_CASE("a construct is left by its end or by a return") {
    CHECK(ways("if n > 2 { out[0] = n; }") == on);
    CHECK(ways("if n > 2 { return; } out[0] = n;") == either);
    CHECK(ways("if n > 2 { out[0] = n; return; } else { return; }") == returns);
    CHECK(ways("switch n { case 1: { return; } case 2: { break; } default: { return; } } out[0] = n;") ==
          either);
    CHECK(ways("switch n { case 1: { return; } default: { out[0] = n; return; } }") == returns);
    CHECK(ways("loop { if n > 2 { break; } out[0] = n; }") == on);
    CHECK(ways("loop { if n > 2 { return; } out[0] = n; }") == returns);
    CHECK(ways("loop { out[0] = n; continuing { break if n > 2; } }") == on);
    CHECK(ways("loop { if n > 2 { return; } out[0] = n; continuing { break if n > 3; } }") == either);
    CHECK(ways("loop { loop { if n > 2 { break; } out[0] = n; } if n > 3 { return; } }") == returns);
}

TEST_CASE("a block is left by jumps too, except those that stay within") {
    CHECK(ways_inside("loop { if n > 2 { break; } if n > 3 { continue; } out[0] = n; }") ==
          Ways{.next = true, .breaks = true, .continues = true});
    CHECK(
        ways_inside("loop { switch n { case 1: { break; } default: { continue; } } if n > 2 { break; } }") ==
        Ways{.next = true, .breaks = true, .continues = true});
    CHECK(ways_inside("loop { switch n { case 1: { break; } default: { } } break; }") ==
          Ways{.breaks = true});
    CHECK(ways_inside("loop { loop { if n > 2 { continue; } break; } return; }") == returns);
    CHECK_FALSE(ways_inside("loop { if n > 2 { out[0] = n; } else { break; } return; }").next);
}
