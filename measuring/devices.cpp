#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/measuring/devices.hpp>

namespace muster::bench {

Result<std::vector<Candidate>> devices_of(Session& session) {
    std::vector<Candidate> devices;
    std::set<std::string> seen;
    const Policy& policy = session.policy();
    if (policy.backends) {
        Policy one = policy;
        for (const std::string& named : *policy.backends) {
            one.backends = {{named}};
            const std::vector<Candidate> found = candidates(session.fleet(), one);
            if (found.empty())
                return fail(ErrorCode::refused, fmt::format("\"{}\" has no device to measure.", named),
                            "see what there is, and why: muster backends");
            for (const Candidate& device : found)
                if (seen.insert(device.id()).second) devices.push_back(device);
        }
        return devices;
    }
    for (const Candidate& device : candidates(session.fleet(), policy)) {
        const bool needs_consent = std::ranges::find_first_of(device.tags, consent_tags) != device.tags.end();
        if (!device.device.on_request && !needs_consent && seen.insert(device.backend).second)
            devices.push_back(device);
    }
    if (devices.empty())
        return fail(ErrorCode::refused, "There is no device to measure.",
                    "see which there are, and name one: muster backends");
    return devices;
}

Result<Session> session_on(const Options& options, const Candidate& device) {
    SessionOptions own = options.session;
    own.policy.backends = {{device.id()}};
    own.policy.inexact_ok = true;
    own.policy.allow_emission = false;
    own.policy.check_devices = false;  // the kernels' own results are checked
    own.policy.optimize = Optimize::first;
    return Session::open(std::move(own));
}

Outcome outcome_of(const Error& error) {
    const bool refuses = error.code == ErrorCode::unsupported || error.code == ErrorCode::limit_exceeded ||
                         error.code == ErrorCode::unavailable || error.code == ErrorCode::refused;
    return refuses ? Outcome::refused : Outcome::failed;
}

}  // namespace muster::bench
