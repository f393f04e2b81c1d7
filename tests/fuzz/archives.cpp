// Stored programs and artifacts: a program is read as it was written, and damaged bytes give an error or a valid program.
#include <span>
#include <string_view>
#include <vector>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/archive/program_archive.hpp>
#include <muster/foundation/interpreter/random.hpp>
#include <muster/foundation/ir/program.hpp>

#include "target.hpp"

namespace muster::fuzz {
namespace {

/// Reads bytes that may be anything.
void read(std::span<const std::byte> bytes) {
    if (const auto program = read_program(bytes)) {
        const auto again = read_program(program_bytes(*program));
        expect(again.has_value(), "a program that was read can be written and read");
        expect(same_structure(*program, *again), "a program that was read twice is the same");
    }
    (void)read_artifact_file(bytes);
}

/// Changes, moves or cuts some of the bytes.
std::vector<std::byte> damaged(std::vector<std::byte> bytes, interpreter::Random& random) {
    const auto at = [&] {
        return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(bytes.size())));
    };
    for (std::uint32_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
        switch (random.below(4)) {
            case 0: bytes[at()] = static_cast<std::byte>(random.below(256)); break;
            case 1: bytes[at()] ^= std::byte(1u << random.below(8)); break;
            case 2: bytes[at()] = bytes[at()]; break;
            default: bytes.resize(at()); break;
        }
    }
    return bytes;
}

}  // namespace

void check(std::string_view text) {
    read(std::as_bytes(std::span(text)));
    const auto program = small_program(text);
    if (!program) return;
    const std::vector<std::byte> bytes = program_bytes(*program);
    const auto again = read_program(bytes);
    expect(again.has_value(), "a written program can be read", again ? "" : again.error().to_string());
    expect(same_structure(*program, *again), "a program is read as it was written");
    const std::vector<std::byte> file = artifact_file_bytes({*program, {make_artifact(**program, {})}});
    expect(read_artifact_file(file).has_value(), "a written artifact can be read");
    interpreter::Random random((*program)->fingerprint().low);
    for (int i = 0; i < 50; ++i) read(damaged(bytes, random));
}

}  // namespace muster::fuzz
