#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/code_rule.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::platform {
namespace {

/// The rule for this process and module, made once: what its module's folders allowed at the
/// time of the first question.
CodeRule rule_of(const std::string& module) {
    static std::mutex mutex;
    static auto* const rules = new std::map<std::tuple<std::string, std::uint32_t, bool>, CodeRule>;
    const ProcessRights process = process_rights();
    const std::lock_guard lock(mutex);
    const auto [slot, is_new] = rules->try_emplace({module, process.user, process.has_foreign_rights});
    if (!is_new) return slot->second;
    std::vector<std::vector<PathPart>> modules;
    for (const std::string& one : {module, driver_module(), program_path()})
        if (auto parts = one.empty() ? Result<std::vector<PathPart>>() : path_parts(one); parts)
            modules.push_back(*std::move(parts));
    return slot->second = code_rule(process, modules, is_member_of_nothing_else);
}

}  // namespace

std::optional<Error> why_not_run(const std::string& file, const std::string& module) {
    const auto parts = path_parts(file);
    if (!parts && parts.error().code == ErrorCode::not_found) return std::nullopt;
    if (!parts) return parts.error();
    return why_not_run(*parts, rule_of(module));
}

namespace {

struct PassedOver {
    std::mutex mutex;
    std::map<std::string, Error> files;
};
PassedOver& all_passed_over() {
    static auto* const shared = new PassedOver;
    return *shared;
}

}  // namespace

std::optional<Error> passed_over(const std::string& file, const std::string& module) {
    auto why = why_not_run(file, module);
    if (why) why->message = fmt::format("{} isn't used: {}", printable(file), why->message);
    PassedOver& all = all_passed_over();
    const std::lock_guard lock(all.mutex);
    if (why)
        all.files.insert_or_assign(file, *why);
    else
        all.files.erase(file);
    return why;
}

std::vector<Error> code_passed_over() {
    PassedOver& all = all_passed_over();
    const std::lock_guard lock(all.mutex);
    std::vector<Error> errors;
    for (const auto& [file, error] : all.files) errors.push_back(error);
    return errors;
}

}  // namespace muster::platform
