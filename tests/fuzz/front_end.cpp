// The front end: any bytes are parsed or refused, and a program reads back from its printed text.
#include <algorithm>

#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "target.hpp"

namespace muster::fuzz {
namespace {

/// The faults agree with what parse() made of the text.
void check_faults(std::string_view text, const Result<Program>& program) {
    const std::vector<Diagnostic> faults = wgsl::diagnose(text);
    if (program) {
        expect(faults.empty(), "A text that parses has no faults.", faults.empty() ? "" : faults[0].message);
        return;
    }
    expect(!program.error().message.empty(), "An error has a message.");
    const auto entries = wgsl::entry_points(text);
    const auto overrides = wgsl::overrides(text);
    const auto aliases = wgsl::aliases(text);
    if (!faults.empty() || program.error().code == ErrorCode::limit_exceeded) return;
    expect(entries && overrides && aliases, "A text without faults has lists of its declarations.");
    const bool needs_value = !std::ranges::all_of(*overrides, &wgsl::Override::has_default);
    expect(entries->size() != 1 || needs_value,
           "A text without faults and with one entry point, whose overrides have values, parses.",
           program.error().to_string());
}

void check_reads_back(const Program& program) {
    const std::string printed = wgsl::print(program);
    const Result<Program> again = wgsl::parse(printed);
    expect(again.has_value(), "A printed program parses.",
           again ? "" : again.error().to_string() + "\n" + printed);
    expect(same_structure(*again, program) && again->fingerprint() == program.fingerprint(),
           "A printed program parses to the same program.", printed);
    expect(wgsl::print(*again) == printed, "A program that is read back prints as before.", printed);
    const Result<ValidProgram> valid = validate(*again);
    expect(valid.has_value(), "A program that is read back is valid.",
           valid ? "" : valid.error().to_string() + "\n" + printed);
}

}  // namespace

void check(std::string_view text) {
    const Result<Program> program = wgsl::parse(text);
    check_faults(text, program);
    if (!program) return;
    const Result<ValidProgram> valid = validate(*program);
    expect(valid || !valid.error().message.empty(), "An error has a message.");
    if (valid) check_reads_back(**valid);
}

}  // namespace muster::fuzz
