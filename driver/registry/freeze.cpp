#include <algorithm>
#include <atomic>
#include <mutex>

#include <muster/driver/registry/code_registration.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace {

/// One reading of the modules. Never freed, so that spans of older registries stay valid.
struct Slice {
    Registry registry;
    const Slice* previous;
};

constinit std::atomic<const Slice*> current{nullptr};
constinit std::mutex publishing;

/// The module that this thread is opening under `publishing`. Its constructors run on the same thread, so waiting for
/// `publishing` in one of them would deadlock.
constinit thread_local const std::string* admitting = nullptr;

struct Admitting {
    explicit Admitting(const std::string& module) { admitting = &module; }
    ~Admitting() { admitting = nullptr; }
    Admitting(const Admitting&) = delete;
    Admitting& operator=(const Admitting&) = delete;
};

/// The modules that were refused when they were opened, or are retired. Guarded by `publishing`, and never destroyed.
std::vector<std::string>& refused_modules() {
    static auto* const modules = new std::vector<std::string>;
    return *modules;
}

/// The backends that were registered in code. Guarded by `publishing`, and never destroyed.
std::vector<const CodeRegistration*>& registered_in_code() {
    static auto* const all = new std::vector<const CodeRegistration*>;
    return *all;
}

/// Every module's records, and those of register_backend(). The caller holds `publishing`.
std::vector<Inventory> all_inventories() {
    std::vector<Inventory> inventories = read_inventories(refused_modules());
    if (registered_in_code().empty()) return inventories;
    Inventory& code = inventories.emplace_back();
    code.module = code_module;
    code.code = registered_in_code();
    for (const CodeRegistration* one : code.code)
        for (const RecordHeader* header :
             {&one->registration.header, &one->precedence.header, &one->capability.header})
            code.records.push_back(header);
    return inventories;
}

const Registry& publish(Registry registry, const Slice* previous) {
    const Slice* slice = new Slice{std::move(registry), previous};
    current.store(slice, std::memory_order_release);
    return slice->registry;
}

[[gnu::noinline]] const Registry& freeze() {
    const std::lock_guard lock(publishing);
    if (const Slice* slice = current.load(std::memory_order_relaxed)) return slice->registry;
    return publish(Registry::from(all_inventories()), nullptr);
}

/// Refuses an id that is taken, by a usable backend or not.
Result<void> check_free(const Registry& registry, std::string_view id) {
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
    Registry registry = Registry::from(all_inventories());
    if (slice != nullptr && std::ranges::equal(slice->registry.records(), registry.records()))
        return slice->registry;
    return publish(std::move(registry), slice);
}

}  // namespace

Result<void> publish(std::unique_ptr<const CodeRegistration> registration) {
    const Registry& before = registry();  // freezes before the lock is taken
    const std::lock_guard lock(publishing);
    const Slice* slice = current.load(std::memory_order_relaxed);
    TRY(check_free(slice != nullptr ? slice->registry : before, registration->registration.id.view()));
    registered_in_code().push_back(registration.release());
    publish(Registry::from(all_inventories()), slice);
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
    registry();  // freezes first, so that the library's constructors can read it without waiting for the lock
    const std::lock_guard lock(publishing);
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
    registry();  // freezes before the lock is taken
    const std::lock_guard lock(publishing);
    const Slice* slice = current.load(std::memory_order_relaxed);
    const auto there = slice->registry.modules();
    if (std::ranges::find(there, module) == there.end()) return false;
    refused_modules().push_back(module);
    read_again();
    return true;
}

std::span<const RegisteredBackend> registered_backends() { return registry().by_id(); }

std::span<const RegisteredBackend> registered_backends_by_precedence() { return registry().by_precedence(); }

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
