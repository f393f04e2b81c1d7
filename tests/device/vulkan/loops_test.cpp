// Loops with more iterations than some drivers take: each kernel gives the interpreter's result or an error, and no
// kernel that the driver runs correctly gives an error.
#include <array>
#include <string>
#include <vector>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t invocations = 12;  // more than run in lockstep, and not a multiple

ValidProgram kernel(const std::string& body) {
    auto parsed = wgsl::parse(R"(@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn found(first: u32, what: u32) -> u32 {
    for (var k = first; k < n; k++) {
        if k * 3 == what { return k; }
    }
    return n;
}
@compute @workgroup_size(12) fn watched(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
)" + body + "}",
                              {.file = "watched.wgsl"});
    if (!parsed) FAIL(parsed.error().to_string());
    return *validate(*std::move(parsed));
}

Words interpreted(const ValidProgram& program, std::uint32_t n) {
    std::array words{n};
    Words out(invocations);
    const std::array bound{BoundBytes{std::as_writable_bytes(std::span(words))},
                           BoundBytes{std::as_writable_bytes(std::span(out))}};
    REQUIRE(interpret(program, bound, {.extent = {1, 1, 1}, .grid = {1, 1, 1}}, {}));
    return out;
}

Result<Words> run(Session& session, const ValidProgram& program, std::uint32_t n) {
    const Kernel made = prepared(session, program);
    const Buffer out = *session.zeros<std::uint32_t>(invocations);
    const auto ticket = session.dispatch(made, {{"n", n}, {"out", out}}, Workgroups{1});
    if (!ticket) return std::unexpected(ticket.error());
    if (const auto end = ticket->wait(); !end) return std::unexpected(end.error());
    return out.read_all<std::uint32_t>();
}

const std::array<std::string, 13> bodies{
    "for (var k = i; k < n; k++) { turns++; } out[i] = turns;",
    "for (var k = i; k < n; k++) { turns++; if turns == n / 3 && i == 3 { break; } } out[i] = turns;",
    "while true { turns++; if turns > n - i { break; } if turns % 3 == i { continue; } out[i] += 2; }",
    "loop { turns += 1; continuing { out[i] = turns; break if turns >= n; } }",
    "loop { turns += 1; out[i] = turns; if turns >= n { return; } }",
    "for (var a = 0u; a < 5; a++) { for (var k = i; k < n / 5; k++) { turns++; } } out[i] = turns;",
    "for (var a = 0u; a < n / 16; a++) { for (var k = 0u; k < 16; k++) { turns += k; } } out[i] = turns;",
    "for (var k = 7u; k < (n - i) / (n % 7 + 1); k++) { if out[i] == 3 { continue; } turns++; } out[i] = "
    "turns;",
    "if i % 2 == 0 { while turns < n / 2 { turns++; } } else { while turns < n / 2 - 1 { turns++; } } out[i] "
    "= turns;",
    "out[i] = found(i, 3 * n - 3); out[i] += found(0, 3 * i);",
    "switch i { case 1, 2: { while turns < n { turns++; } } default: { while turns < n { turns += 2; } } } "
    "out[i] = turns;",
    "for (var a = 0u; a < 3; a++) { turns = 0; while turns < n / 3 { turns++; if turns == 7 + i && a == 1 { "
    "break; } } out[i] += turns; }",
    "for (var k = 0u; k < n; k++) { turns++; } for (var k = 0u; k < 9; k++) { turns += k; } out[i] = turns;",
};

}  // namespace

TEST_CASE("loops of twenty thousand iterations are right, watched or not") {
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        for (const std::string& body : bodies) {
            CAPTURE(body);
            const ValidProgram program = kernel(body);
            const auto out = run(session, program, 20'000);
            if (!out) FAIL(out.error().to_string());
            CHECK(*out == interpreted(program, 20'000));
        }
    }
}

TEST_CASE("loops of two hundred thousand iterations are right, or the ticket says that they aren't") {
    for (const std::string& body : bodies) {
        CAPTURE(body);
        const ValidProgram program = kernel(body);
        Session session = session_of({});
        const auto out = run(session, program, 200'000);
        if (out) {
            CHECK(*out == interpreted(program, 200'000));
        } else {
            CHECK(out.error().code == ErrorCode::limit_exceeded);
            CHECK(
                out.error().message.starts_with("The Vulkan driver ended a loop of watched (watched.wgsl:"));
        }
    }
}

TEST_CASE("what has read a wrong result is no result either") {
    const ValidProgram program = kernel(bodies[0]);
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        const Kernel made = prepared(session, program);
        const Kernel next = prepared(session, kernel("out[i] += n;"));
        const Buffer out = *session.zeros<std::uint32_t>(invocations);
        REQUIRE(session.dispatch(made, {{"n", 200'000u}, {"out", out}}, Workgroups{1}));
        // Submitted while the first runs, or refused if it has ended.
        const auto ticket = session.dispatch(next, {{"n", 1u}, {"out", out}}, Workgroups{1});
        const auto words = out.read_all<std::uint32_t>();
        if (words) {
            CHECK(ticket);
            CHECK(words->front() == 200'001);
            continue;
        }
        CHECK(words.error().code == ErrorCode::limit_exceeded);
        CHECK((!ticket || !ticket->wait()));
        const auto later = run(session, kernel("out[i] = n;"), 1);
        REQUIRE_FALSE(later);
        CHECK(later.error().code == ErrorCode::limit_exceeded);
        Session another = session_of(options);
        CHECK(run(another, kernel("out[i] = n;"), 1));
    }
}
