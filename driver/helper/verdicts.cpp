#include <fmt/format.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/helper/verdicts.hpp>

namespace muster {
namespace {

/// The text before a verdict in its entry. The lengths separate subject and circumstances,
/// whatever bytes they contain.
std::string head(std::string_view subject, std::string_view circumstances) {
    static constexpr BuildText build = build_fingerprint();
    return fmt::format("{}\n{} {}\n{}\n{}\n", build.view(), subject.size(), circumstances.size(), subject,
                       circumstances);
}

CacheKey key_of(std::string_view subject) { return digest_of(fmt::format("verdict\n{}", subject)); }

}  // namespace

const Verdicts& Verdicts::process() {
    static const auto* const shared = new Verdicts(DiskCache::process());  // probes may outlive main
    return *shared;
}

std::optional<std::string> Verdicts::find(std::string_view subject, std::string_view circumstances) const {
    const std::string begin = head(subject, circumstances);
    const auto text = cache_.find(key_of(subject));
    if (!text || !text->starts_with(begin)) return std::nullopt;
    return text->substr(begin.size());
}

bool Verdicts::has(std::string_view subject) const { return cache_.find(key_of(subject)).has_value(); }

void Verdicts::keep(std::string_view subject, std::string_view circumstances,
                    std::string_view verdict) const {
    if (verdict.size() > most_bytes) return;
    cache_.keep(key_of(subject), subject, head(subject, circumstances).append(verdict));
}

}  // namespace muster
