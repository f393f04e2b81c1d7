// Every conformance case runs in a session on the fake driver. Its parameters are laid out as lower() does it:
// the kernel gets the bindings that the driver bound.
#include <vector>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "kit.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::conformance;

namespace {

/// Runs the case. `as_values`: read-only bindings are bound to values if possible.
Result<Outputs> run(Session& session, const Case& test, const ValidProgram& program, bool as_values) {
    Outputs values = TRY(inputs_of(test, program));
    const Kernel kernel = TRY(session.prepare(program));
    std::vector<std::optional<Buffer>> buffers;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& binding = program->variable(program->bindings()[i]);
        const auto bytes = std::as_bytes(std::span(values[i].words));
        const GroupBinding place{binding.group, binding.binding};
        if (as_values && binding.access == Access::read) {
            buffers.emplace_back();
            arguments.emplace_back(place, ArgumentValue{InlineVector<std::byte, 64>(bytes), {}});
        } else {
            buffers.emplace_back(TRY(session.buffer_from(bytes)));
            arguments.emplace_back(place, *buffers.back());
        }
    }
    const Ticket ticket = TRY(session.dispatch(kernel, arguments, test.grid));
    TRY(ticket.wait());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (buffers[i]) TRY(buffers[i]->read(values[i].words));
    return values;
}

}  // namespace

TEST_CASE("every conformance case gives what the interpreter gives") {
    const auto cases = load_cases();
    REQUIRE(cases);
    for (const bool as_values : {false, true}) {
        Machine machine;
        machine.compiler.lowered = true;
        Session session = machine.session();
        for (const Case& test : *cases) {
            CAPTURE(test.name);
            const auto program = validate(*wgsl::parse(test.text, {.file = test.name + ".wgsl"}));
            REQUIRE(program);
            const auto expected = run_interpreted(test, *program, 1);
            const auto actual = run(session, test, *program, as_values);
            if (!actual && actual.error().code == ErrorCode::refused) continue;
            if (!actual) FAIL_CHECK(actual.error().to_string());
            REQUIRE(expected);
            for (std::size_t i = 0; actual && i < actual->size(); ++i)
                CHECK(difference((*expected)[i], (*actual)[i], false).empty());
        }
    }
}
