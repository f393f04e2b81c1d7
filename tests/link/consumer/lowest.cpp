// Uses a backend without a session. docs/linking.md shows these lines.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include <muster/muster.hpp>

using namespace std::chrono_literals;

constexpr const char* text = R"(
    @group(0) @binding(0) var<storage, read_write> squares: array<u32>;
    @compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {
        squares[id.x] = id.x * id.x;
    })";

int main() {
    const auto program = muster::validate(muster::wgsl::parse(text).value()).value();
    muster::Preferred best = muster::acquire_preferred().value();
    auto device = best.backend->open(best.device.ordinal).value();
    auto code = device->load(device->compile(program, {}).value()).value();
    auto memory = device->allocate(64 * sizeof(std::uint32_t)).value();
    muster::BoundMemory bound{.memory = memory.get(), .bytes = memory->bytes()};
    muster::Launch once{.executable = code.get(), .bindings = {&bound, 1}, .extent = {1}, .grid = {1}};
    auto work = device->submit(once).value();
    if (auto* running = std::get_if<1>(&work)) (*running)->wait(10s).value();
    std::vector<std::uint32_t> squares(64);
    device->read(*memory, 0, std::as_writable_bytes(std::span(squares))).value();
    std::printf("%s:%u %u\n", std::string(best.backend->id()).c_str(), best.device.ordinal, squares[63]);
}
