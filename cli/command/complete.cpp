#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/conformance/case.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::cli {
namespace {

struct CompleteArguments {
    std::string kind;  // of value, as --help names it: ID, TARGET
};

using Names = std::set<std::string>;

/// Calls `add` with each usable entry of the process's fleet.
template <class Add>
void each_entry(Add add) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    for (std::size_t i = 0; i < fleet->size(); ++i)
        if (!fleet->entry(i).fault) add(fleet->entry(i), *fleet, i);
}

/// Calls `add` with each backend that can be constructed.
template <class Add>
void each_backend(Add add) {
    each_entry([&](const FleetEntry& entry, Fleet& fleet, std::size_t which) {
        if (const auto backend = fleet.backend(which)) add(entry.id, **backend);
    });
}

std::vector<std::string> words_of(const std::string& text) {
    const auto parts = [](char c) { return c != ',' && std::isspace(static_cast<unsigned char>(c)) == 0; };
    std::vector<std::string> words;
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = std::find_if(at, text.end(), parts);
        at = std::find_if_not(begin, text.end(), parts);
        if (begin != at) words.emplace_back(begin, at);
    }
    return words;
}

/// The architectures of a backend: the default one, and those among the words in which it
/// refuses one that there isn't.
Names architectures(Backend& backend) {
    Names names{backend.default_arch()};
    if (const auto refused = backend.describe("?"); !refused)
        for (const std::string& word : words_of(refused.error().fix))
            if (backend.describe(word)) names.insert(word);
    return names;
}

Names names_of(const std::string& kind) {
    Names names;
    if (kind == "ID") {
        each_entry([&](const FleetEntry& entry, Fleet&, std::size_t) { names.insert(entry.id); });
    } else if (kind == "TAG") {
        each_entry([&](const FleetEntry& entry, Fleet&, std::size_t) {
            names.insert(entry.tags.begin(), entry.tags.end());
        });
    } else if (kind == "FORMAT") {
        each_backend([&](const std::string&, Backend& backend) {
            names.insert(backend.formats().begin(), backend.formats().end());
        });
    } else if (kind == "TARGET") {
        each_backend([&](const std::string& id, Backend& backend) {
            for (const std::string& arch : architectures(backend)) names.insert(id + ":" + arch);
        });
    } else if (kind == "KEY=VALUE") {
        each_backend([&](const std::string&, Backend& backend) {
            for (const SpecInfo& spec : backend.specs()) names.insert(spec.key + "=");
        });
    } else if (kind == "KIND") {
        for (const DeviceClass one :
             {DeviceClass::gpu, DeviceClass::discrete, DeviceClass::integrated, DeviceClass::cpu})
            names.emplace(name(one));
    } else if (kind == "GLOB") {
        if (const auto cases = conformance::load_cases())
            for (const conformance::Case& one : *cases) names.insert(one.name);
    } else if (kind == "KERNEL") {
        const std::vector<std::string> kernels = bench::kernel_names();
        names.insert(kernels.begin(), kernels.end());
    }
    return names;
}

void declare(Options& options, CompleteArguments& to) {
    options.argument(to.kind, "KIND", "The kind of value, as --help names it");
}

/// Prints what a value of this kind may be, one a line; nothing for a kind without a list. Opens plugins to
/// ask them for targets and formats, but probes no device.
Attempt<Exit> perform(const CompleteArguments& arguments) {
    for (const std::string& name : names_of(arguments.kind)) say(name + "\n");
    return Exit::done;
}

}  // namespace

const Verb verbs::complete{"complete", "Print what a value may be, for the shells' completions",
                           command<CompleteArguments, declare, perform>, true};

}  // namespace muster::cli
