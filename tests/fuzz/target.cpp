#include "target.hpp"

#include <cstdio>
#include <cstdlib>

#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::fuzz {

void expect(bool holds, std::string_view fact, std::string_view details) {
    if (holds) return;
    std::fprintf(stderr, "This doesn't hold: %.*s\n%.*s\n", static_cast<int>(fact.size()), fact.data(),
                 static_cast<int>(details.size()), details.data());
    std::fflush(nullptr);
    std::abort();
}

std::optional<ValidProgram> small_program(std::string_view text) {
    Result<Program> parsed = wgsl::parse(text);
    if (!parsed) return std::nullopt;
    Result<ValidProgram> program = validate(*std::move(parsed));
    if (!program) return std::nullopt;
    const ProgramNeeds& needs = (*program)->needs();
    const bool small = needs.workgroup_size.count() <= 256 && needs.workgroup_bytes <= 1 << 15 &&
                       needs.private_bytes <= 1 << 14 && (*program)->node_count() <= 4000;
    return small ? std::optional(*std::move(program)) : std::nullopt;
}

}  // namespace muster::fuzz
