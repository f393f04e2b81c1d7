#include "conformance/devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <ranges>
#include <sstream>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/foundation/base/try.hpp>

#include "support/builds_ahead.hpp"

namespace muster::conformance {

bool names_backend(std::string_view list, std::string_view backend) {
    return std::ranges::any_of(list | std::views::split(','), [&](const auto& part) {
        const std::string_view word(part.begin(), part.end());
        return word.ends_with('*') ? backend.starts_with(word.substr(0, word.size() - 1)) : word == backend;
    });
}

bool is_wanted(std::string_view backend) {
    const char* const wanted = std::getenv("MUSTER_TEST_BACKENDS");
    return wanted == nullptr || names_backend(wanted, backend);
}

std::vector<TestDevice> devices() {
    std::vector<TestDevice> found;
    const std::shared_ptr<Fleet> fleet = process_fleet();
    for (std::size_t i = 0; i < fleet->size(); ++i) {
        const std::string& backend = fleet->entry(i).id;
        if (!is_wanted(backend)) continue;
        if (fleet->entry(i).has_tag("long") && std::getenv("MUSTER_TEST_ALL") == nullptr) continue;
        const bool documented = !fleet->entry(i).has_tag("test");
        for (const DeviceInfo& info : fleet->probe(i).devices) {
            found.push_back({backend + ":" + std::to_string(info.ordinal), backend, info, documented});
        }
    }
    return found;
}

void build_ahead(const TestDevice& device, const std::function<std::vector<ValidProgram>()>& programs) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    const auto backend = fleet->backend(*fleet->find(device.backend));
    if (!backend) return;
    if (auto* const builder = dynamic_cast<test::BuildsAhead*>(backend->get()))
        builder->build_ahead(programs());
}

Policy policy_for(const TestDevice& device) {
    return {.backends = {{device.id}}, .compile_budget = std::chrono::nanoseconds(0)};
}

Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program) {
    Session session = TRY(Session::open({.policy = policy_for(device), .use_environment = false}));
    return run_in(session, test, program);
}

Result<std::vector<Gap>> known_gaps(const std::string& backend) {
    if (!backend.starts_with("vulkan")) return std::vector<Gap>{};
    std::stringstream text;
    text << std::ifstream(MUSTER_VULKAN_GAPS).rdbuf();
    return parse_gaps(text.str(), "backend-vulkan/known_gaps.txt");
}

}  // namespace muster::conformance
