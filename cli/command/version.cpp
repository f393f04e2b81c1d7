#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <muster/cli/command/verb.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cli {
namespace {

struct VersionArguments {
    bool json = false;
};

struct BuiltBackend {
    std::string_view id;
    std::string_view left_out;  // why; empty: it is built
    bool is_plugin = false;
    std::string_view versions;  // "LLVM=19.1.7;oneTBB=2021.8.0"
};

// build_type, compiler, sanitizers, shared, built_backends: written by cli/CMakeLists.txt.
#include "build_facts.inc"

Json versions_json(std::string_view versions) {
    Json json = Json::object();
    while (!versions.empty()) {
        const std::string_view one = versions.substr(0, versions.find(';'));
        const std::size_t equals = one.find('=');
        json[std::string(one.substr(0, equals))] = one.substr(equals + 1);
        versions.remove_prefix(std::min(one.size() + 1, versions.size()));
    }
    return json;
}

Json backend_json(const BuiltBackend& backend) {
    Json json{{"id", backend.id}, {"built", backend.left_out.empty()}};
    if (!backend.left_out.empty()) {
        json["left_out"] = backend.left_out;
        return json;
    }
    json["plugin"] = backend.is_plugin;
    json["built_with"] = versions_json(backend.versions);
    return json;
}

/// The backends that are linked, from their records.
Json linked_json() {
    Json json = Json::array();
    for (const RegisteredBackend& backend : registry().by_precedence()) json.push_back(backend.id);
    return json;
}

void declare(Options& options, VersionArguments& to) {
    options.flag(to.json, "--json", "With --version: as JSON, and what it was built with");
}

/// Constructs no backend, and opens none.
Attempt<Exit> perform(const VersionArguments& arguments) {
    if (!arguments.json) {
        say(fmt::format("muster {}\n", version));
        return Exit::done;
    }
    static constexpr AbiText abi = abi_fingerprint();
    Json json{{"version", version},       {"abi", abi.view()},        {"compiler", compiler},
              {"build_type", build_type}, {"shared", shared},         {"sanitizers", sanitizers},
              {"linked", linked_json()},  {"backends", Json::array()}};
    for (const BuiltBackend& backend : built_backends) json["backends"].push_back(backend_json(backend));
    print_json(json);
    return Exit::done;
}

}  // namespace

const Verb verbs::version{"--version", "Print the version", command<VersionArguments, declare, perform>};

}  // namespace muster::cli
