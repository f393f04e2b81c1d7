// The process: its properties, log, default policy, plugins, backends and devices.
#include <algorithm>

#include <fmt/format.h>

#include <muster/c/models.hpp>
#include <muster/c/process_object.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/policy/policy_options.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/report/report.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::c {
namespace {

template <class... T>
std::uint64_t living() {
    return (table<T>().count() + ...);
}

class ProcessObject final : public ObjectOf<MUSTER_KIND_PROCESS> {
  public:
    Answer<Property> ask(std::int32_t property) const override {
        switch (property) {
            case MUSTER_VERSION_TEXT: return one(Value(std::string_view(version)));
            case MUSTER_BUILD_TEXT: return text(std::string(build_fingerprint().view()));
            case MUSTER_LIVE_OBJECTS:
                return number(
                    living<SessionObject, BackendObject, DeviceObject, TargetObject, ProgramObject,
                           RouteObject, KernelObject, BoundObject, BufferObject, Ticket, SequenceObject,
                           ArtifactObject, BlobObject, TensorObject, ModelObject, ReportObject>());
            case MUSTER_OPTION_NAME:
                return many(policy::policy_options().size() + 1, [](std::size_t i) {
                    return Value(i < policy::policy_options().size() ? policy::policy_options()[i].name
                                                                     : "precision");
                });
            case MUSTER_OPTION_MEANING:
                return many(policy::policy_options().size() + 1, [](std::size_t i) {
                    return Value(i < policy::policy_options().size()
                                     ? policy::policy_options()[i].meaning
                                     : "exact or fast: the precision where compile options say none.");
                });
            case MUSTER_VARIABLE_NAME:
                return many(known_variables().size(),
                            [](std::size_t i) { return Value(known_variables()[i].name); });
            case MUSTER_VARIABLE_MEANING:
                return many(known_variables().size(),
                            [](std::size_t i) { return Value(known_variables()[i].meaning); });
            case MUSTER_PACK_ID:
            case MUSTER_PACK_MODULE: {
                auto packs = list_packs();
                const std::size_t count = packs.size();
                return many(count, [packs = std::move(packs), property](std::size_t i) {
                    return Value(property == MUSTER_PACK_ID ? packs[i].id : packs[i].module);
                });
            }
            case MUSTER_HAS_MODELS:
            case MUSTER_HAS_CHECK: return number(find_parts() ? 1 : 0);
            case MUSTER_HAS_ONNX: {
                const auto parts = find_parts();
                return number(parts && (*parts)->has_onnx() ? 1 : 0);
            }
            default: return no_property(property);
        }
    }
    Answer<std::string> json() const override { return report::of_backends(process_fleet()).text(); }
};

Answer<std::vector<std::shared_ptr<DeviceObject>>> devices_of(const std::shared_ptr<Fleet>& fleet,
                                                              const Policy& policy) {
    std::vector<std::shared_ptr<DeviceObject>> all;
    for (Candidate& candidate : candidates(*fleet, policy))
        all.push_back(std::make_shared<DeviceObject>(fleet, std::move(candidate)));
    return all;
}

/// All devices of a backend. Errors: those of its probe.
Answer<std::vector<std::shared_ptr<DeviceObject>>> devices_of(const BackendObject& of) {
    const FleetEntry& entry = of.fleet->entry(of.which);
    if (entry.fault) return std::unexpected(*entry.fault);
    if (entry.load) TRY(Result<OpSet>(of.fleet->load(of.which)));
    const ProbeResult& probe = of.fleet->probe(of.which);
    if (probe.state != ProbeState::answered) return std::unexpected(probe.error);
    std::vector<std::shared_ptr<DeviceObject>> all;
    const OpSet ops = TRY(Result<OpSet>(of.fleet->load(of.which)));
    for (const DeviceInfo& device : probe.devices)
        all.push_back(std::make_shared<DeviceObject>(
            of.fleet, Candidate{entry.id, entry.rank, entry.tags, ops, device}));
    return all;
}

/// True if the device loads one of the codes of the file.
bool has_code(const DeviceObject& device, const ArtifactFile& file) {
    const auto which = device.fleet->find(device.candidate.backend);
    if (file.codes.empty() || !which) return false;
    const auto backend = device.fleet->backend(*which);
    return backend && std::ranges::any_of(file.codes, [&](const Artifact& code) {
               return (*backend)->objection(code, device.candidate.device).empty();
           });
}

/// The fleet of a session, which it keeps.
std::shared_ptr<Fleet> fleet_of(const std::shared_ptr<SessionObject>& session) {
    return {session, &session->session.fleet()};
}

Answer<std::vector<std::shared_ptr<DeviceObject>>> devices_of(std::uint64_t of) {
    if (HandleParts::of(of).kind == MUSTER_KIND_BACKEND) return devices_of(*TRY(get<BackendObject>(of)));
    if (of != MUSTER_PROCESS) {
        const auto session = TRY(get<SessionObject>(of));
        return devices_of(fleet_of(session), session->session.policy());
    }
    std::vector<NamedPolicy> layers = TRY(environment_layers());
    layers.push_back({"the process default", default_policy()});
    return devices_of(process_fleet(), in_force(layers).policy);
}

}  // namespace

std::shared_ptr<const Object> process_object() {
    static auto& process = *new std::shared_ptr<const Object>(std::make_shared<ProcessObject>());
    return process;
}

void add_process(muster_api& api) {
    api.set_log = [](muster_log_callback callback, void* user) {
        return call([&]() -> Answer<void> {
            if (callback == nullptr) {
                set_log_sink({});
                return {};
            }
            set_log_sink([callback, user](LogLevel level, std::string_view text) {
                const WithinCallback within;
                callback(user,
                         level == LogLevel::error     ? MUSTER_LOG_ERROR
                         : level == LogLevel::warning ? MUSTER_LOG_WARNING
                                                      : MUSTER_LOG_INFO,
                         view(text));
            });
            return {};
        });
    };
    api.set_default_policy = [](const muster_option* options, std::size_t count) {
        return call([&]() -> Answer<void> {
            TRY(set_default_policy(TRY(read_policy(options, count, nullptr))));
            return {};
        });
    };
    api.load_backend = [](muster_string id_or_path) {
        return call([&]() -> Answer<void> {
            TRY(Plugins::process().load(TRY(read_text(id_or_path, "id_or_path"))));
            return {};
        });
    };
    api.retire_backend = [](muster_string id_or_path) {
        return call([&]() -> Answer<void> {
            TRY(Plugins::process().retire(TRY(read_text(id_or_path, "id_or_path"))));
            return {};
        });
    };
    api.is_loaded = [](muster_string id_or_path, std::uint32_t* is_loaded) {
        return call([&]() -> Answer<void> {
            if (is_loaded == nullptr) return null_pointer("is_loaded");
            *is_loaded = Plugins::process().is_loaded(TRY(read_text(id_or_path, "id_or_path"))) ? 1 : 0;
            return {};
        });
    };
    api.trace_start = [](muster_string path, muster_blob* used) {
        return call([&]() -> Answer<void> {
            const std::string there = TRY(trace::start(std::string(TRY(read_text(path, "path")))));
            if (used == nullptr) return {};
            return give_blob(used, there);
        });
    };
    api.trace_end = [](std::uint64_t* left_out) {
        return call([&]() -> Answer<void> {
            const std::uint64_t count = trace::end();
            if (left_out != nullptr) *left_out = count;
            return {};
        });
    };
    api.backends = [](muster_backend* list, std::size_t capacity, std::size_t* count) {
        return call([&]() -> Answer<void> {
            const std::shared_ptr<Fleet> fleet = process_fleet();
            std::vector<std::shared_ptr<BackendObject>> all;
            for (std::size_t i = 0; i < fleet->size(); ++i)
                all.push_back(std::make_shared<BackendObject>(fleet, i));
            return give_list(list, capacity, count, std::move(all));
        });
    };
    api.devices = [](std::uint64_t of, muster_device* list, std::size_t capacity, std::size_t* count) {
        return call([&]() -> Answer<void> { return give_list(list, capacity, count, TRY(devices_of(of))); });
    };
    api.find_target = [](muster_string name, muster_target* target) {
        return call([&]() -> Answer<void> {
            if (target == nullptr) return null_pointer("target");
            const std::string_view text = TRY(read_text(name, "name"));
            return give_handle(target, std::make_shared<TargetObject>(TRY(
                                           names_device(text) ? detect_target(text) : parse_target(text))));
        });
    };
    api.device_supports = [](muster_device device, muster_program program,
                             const muster_compile_options* given) {
        return call([&]() -> Answer<void> {
            const auto candidate = TRY(get<DeviceObject>(device.id));
            const auto what = TRY(get<ProgramObject>(program.id));
            const CompileOptions options = TRY(read_compile_options(given, Precision::exact));
            TRY(candidate->candidate.supports(
                *what->file.program, {.compile = options, .has_code = has_code(*candidate, what->file)}));
            return {};
        });
    };
}

}  // namespace muster::c
