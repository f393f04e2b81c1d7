// Answers of helper processes, of probes and of the CPU backend's compiler: any bytes are an answer or an error, and one that is read is
// as it was written.
#include <muster/driver/probing/probe_answer.hpp>

#include "mutate.hpp"
#include "target.hpp"

#ifdef MUSTER_FUZZ_CPU
#include <muster/backend-cpu/compile/compile_message.hpp>
#endif

namespace muster::fuzz {
namespace {

void read(std::string_view text) {
    if (const auto probe = probing::read_probe_answer(text)) {
        const std::string written = probing::probe_answer(*probe);
        const auto again = probing::read_probe_answer(written);
        expect(again.has_value(), "an answer that was read can be written and read");
        expect(probing::probe_answer(*again) == written, "an answer that was read twice is the same");
    } else {
        expect(!probe.error().message.empty(), "an error says what is wrong");
    }
#ifdef MUSTER_FUZZ_CPU
    FieldReader answer(text), message(text);
    cpu::CompileAnswer answered;
    exchange_answer(answer, answered);
    expect(answer.done() || !answer.fault().empty(), "an answer that can't be read has a fault");
    cpu::CompileMessage asked;
    exchange_message(message, asked);
    if (!message.done()) return;
    FieldWriter writer;
    exchange_message(writer, asked);
    expect(std::move(writer).take() == text, "a request is read as it was written");
#endif
}

/// An answer about a device whose texts are the text's.
ProbeResult some_result(std::string_view text) {
    DeviceInfo device;
    device.name = text;
    device.arch = text.substr(0, 5);
    device.memory_bytes = text.size();
    device.ops.extensions = {std::string(text.substr(text.size() / 2)), ""};
    ProbeResult result;
    result.devices = {device, device};
    return result;
}

}  // namespace

void check(std::string_view text) {
    read(text);
    const std::string answer = probing::probe_answer(some_result(text));
    const auto again = probing::read_probe_answer(answer);
    expect(again && probing::probe_answer(*again) == answer, "an answer is read as it was written");
    ProbeResult failed;
    failed.state = ProbeState::answered == ProbeState{} ? static_cast<ProbeState>(1) : ProbeState{};
    failed.error = {ErrorCode::unavailable, std::string(text), "", {std::string(text)}};
    const std::string error = probing::probe_answer(failed);
    expect(probing::read_probe_answer(error).has_value(), "an error is read as it was written");
    interpreter::Random random(text.size());
    for (int i = 0; i < 20; ++i) {
        read(mutated(answer, random));
        read(mutated(error, random));
    }
}

}  // namespace muster::fuzz
