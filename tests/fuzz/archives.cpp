// Stored programs and artifacts: a program is read as it was written, and damaged bytes give an error or a valid program.
#include <span>
#include <string_view>
#include <vector>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/archive/program_archive.hpp>
#include <muster/foundation/interpreter/random.hpp>
#include <muster/foundation/ir/program.hpp>

#include "damage.hpp"
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
    interpreter::Random random((*program)->fingerprint().words[0]);
    for (int i = 0; i < 50; ++i) read(damaged(bytes, random));
}

}  // namespace muster::fuzz
