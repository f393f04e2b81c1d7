#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include <muster/driver/registry/code_registration.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/driver/support/fork_ranks.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace {

/// One reading of the modules. Never freed, so that spans of older registries stay valid.
struct Slice {
    Registry registry;
    const Slice* previous;
};

constinit std::atomic<const Slice*> current{nullptr};  // null: the modules are read at the next use
constinit ForkSafeMutex publishing{fork_rank_of_registry};
constinit const Slice* newest = nullptr;  // the last one that was made; guarded by `publishing`

/// The module that this thread is opening under `publishing`. Its constructors run on the same thread, so
/// waiting for `publishing` in one of them would deadlock.
constinit thread_local const std::string* admitting = nullptr;

struct Admitting {
    explicit Admitting(const std::string& module) { admitting = &module; }
    ~Admitting() { admitting = nullptr; }
    Admitting(const Admitting&) = delete;
    Admitting& operator=(const Admitting&) = delete;
};

/// The modules that were refused when they were opened, or are retired. Guarded by
/// `publishing`, and never destroyed.
std::vector<std::string>& refused_modules() {
    static auto* const modules = new std::vector<std::string>;
    return *modules;
}

/// The backends that were registered in code, by id. Guarded by `publishing`, and never destroyed.
std::map<std::string_view, std::unique_ptr<const CodeRegistration>>& registered_in_code() {
    static auto* const all = new std::map<std::string_view, std::unique_ptr<const CodeRegistration>>;
    return *all;
}

/// Every module's records, and those of register_backend(). The caller holds `publishing`.
std::vector<Inventory> all_inventories() {
    std::vector<Inventory> inventories = read_inventories(refused_modules());
    if (registered_in_code().empty()) return inventories;
    Inventory& code = inventories.emplace_back();
    code.module = code_module;
    for (const auto& [id, one] : registered_in_code()) {
        code.code.push_back(one.get());
        for (const RecordHeader* header :
             {&one->registration.header, &one->precedence.header, &one->capability.header})
            code.records.push_back(header);
    }
    return inventories;
}

/// True if a backend that the build or the program counts on may be among records that can't be reached.
bool lacks_backends(const Registry& registry) {
    const auto is_missing = [](const RegistryFault& fault) {
        return fault.rule == RegistryRule::dropped_by_linker;
    };
    return registry.by_id().empty() || std::ranges::any_of(registry.faults(), is_missing);
}

/// Reads the modules. The caller holds `publishing`.
Registry read_registry() {
    const Registry* const before = newest != nullptr ? &newest->registry : nullptr;
    std::vector<Inventory> inventories = all_inventories();
    Registry registry = Registry::from(inventories, before);
    if (!lacks_backends(registry)) return registry;
    std::vector<Inventory> lost = read_lost_inventories();
    if (lost.empty()) return registry;
    std::ranges::move(lost, std::back_inserter(inventories));
    return Registry::from(std::move(inventories), before);
}

/// The caller holds `publishing`.
const Registry& publish(Registry registry) {
    newest = new Slice{std::move(registry), newest};
    current.store(newest, std::memory_order_release);
    return newest->registry;
}

/// The present registry, which this call makes if there is none. The caller holds `publishing`.
const Registry& present() {
    const Slice* slice = current.load(std::memory_order_relaxed);
    return slice != nullptr ? slice->registry : publish(read_registry());
}

[[gnu::noinline]] const Registry& freeze() {
    const std::lock_guard lock(publishing);
    return present();
}

/// Refuses an id that is taken, by a usable backend or not. The caller holds `publishing`.
Result<void> check_free(std::string_view id) {
    // The newest registry may lack what was registered in code since it was made; no other
    // library's records are missing.
    const Registry& registry = newest != nullptr ? newest->registry : present();
    if (registered_in_code().contains(id))
        return fail(ErrorCode::conflict,
                    "The id \"" + std::string(id) + "\" is taken: by " + code_module + ".",
                    "register the backend by another id");
    if (const RegisteredBackend* taken = registry.find(id))
        return fail(ErrorCode::conflict,
                    "The id \"" + std::string(id) + "\" is taken: by " + printable(taken->module) + ".",
                    "register the backend by another id");
    if (const RegistryFault* fault = registry.fault(id))
        return fail(ErrorCode::conflict,
                    "The id \"" + std::string(id) +
                        "\" is registered already, but isn't usable: " + fault->error.message,
                    "register the backend by another id");
    return {};
}

/// Publishes a successor if the modules' records have changed. The caller holds `publishing`.
const Registry& read_again() {
    const Slice* slice = current.load(std::memory_order_relaxed);
    Registry registry = read_registry();
    if (slice != nullptr && std::ranges::equal(slice->registry.records(), registry.records()))
        return slice->registry;
    return publish(std::move(registry));
}

}  // namespace

Result<void> publish(std::unique_ptr<const CodeRegistration> registration) {
    const std::lock_guard lock(publishing);
    const std::string_view id = registration->registration.id.view();
    TRY(check_free(id));
    registered_in_code().emplace(id, std::move(registration));
    // The next use makes the successor, so that a program which registers many backends
    // makes one for all of them.
    current.store(nullptr, std::memory_order_release);
    return {};
}

const Registry& registry() {
    if (const Slice* slice = current.load(std::memory_order_acquire)) [[likely]]
        return slice->registry;
    return freeze();
}

const std::string& module_being_admitted() {
    static const std::string none;
    return admitting != nullptr ? *admitting : none;
}

const Registry& refreeze() {
    if (admitting != nullptr) return registry();
    const std::lock_guard lock(publishing);
    return read_again();
}

Result<void> admit_module(const std::string& module, const std::function<Result<void>()>& open) {
    const std::lock_guard lock(publishing);
    present();  // so that the library's constructors can read it without waiting for the lock
    auto opened = [&] {
        const Admitting mark(module);
        return open();
    }();
    if (opened) {
        std::erase(refused_modules(), module);
        read_again();
    } else if (std::ranges::find(refused_modules(), module) == refused_modules().end()) {
        refused_modules().push_back(module);
    }
    return opened;
}

bool retire_module(const std::string& module) {
    if (admitting != nullptr) return false;
    const std::lock_guard lock(publishing);
    const auto there = present().modules();
    if (std::ranges::find(there, module) == there.end()) return false;
    refused_modules().push_back(module);
    read_again();
    return true;
}

BackendList registered_backends() { return registry().by_id(); }

BackendList registered_backends_by_precedence() { return registry().by_precedence(); }

std::span<const RegisteredPack> registered_packs() { return registry().packs(); }

const RegisteredBackend* find_backend(std::string_view id) { return registry().find(id); }

std::uint32_t backend_precedence(std::string_view id) {
    const RegisteredBackend* backend = find_backend(id);
    return backend != nullptr ? backend->rank : unranked;
}

bool backend_dispatches(std::string_view id) {
    const RegisteredBackend* backend = find_backend(id);
    return backend != nullptr && backend->dispatches;
}

}  // namespace muster
