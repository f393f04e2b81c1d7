#include <fmt/format.h>

#include <muster/cli/report/disassembly.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

Result<std::string> disassemble(Fleet& fleet, const Artifact& code) {
    const std::string id = code.target.substr(0, code.target.find(':'));
    const auto which = fleet.find(id);
    if (!which)
        return fail(
            ErrorCode::not_found,
            fmt::format("No backend {} is linked or in a plugin, and it alone can disassemble its code.", id),
            "install or link the backend");
    return TRY(fleet.backend(*which))->disassemble(code);
}

}  // namespace

std::string disassembly_text(Fleet& fleet, const ArtifactFile& file) {
    std::string text;
    for (const Artifact& code : file.codes) {
        const auto listing = disassemble(fleet, code);
        text += fmt::format("\n{}, {}, {}:\n", code.target, code.entry, code.format);
        text += listing ? *listing : listing.error().to_string();
        if (!text.ends_with('\n')) text += '\n';
    }
    return text;
}

void add_disassembly(Json& codes, Fleet& fleet, const ArtifactFile& file) {
    for (std::size_t i = 0; i < file.codes.size(); ++i) {
        const auto listing = disassemble(fleet, file.codes[i]);
        if (listing)
            codes[i]["disassembly"] = *listing;
        else
            codes[i]["no_disassembly"] = to_json(report::of(listing.error()));
    }
}

}  // namespace muster::cli
