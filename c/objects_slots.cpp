// Errors, and what can be done with any object.
#include <array>

#include <fmt/format.h>

#include <muster/c/kinds.hpp>
#include <muster/c/models.hpp>
#include <muster/c/objects.hpp>
#include <muster/c/process_object.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

/// Calls `visit` with a null pointer of the class of a kind's objects. Errors: invalid_handle.
template <class Visit>
auto of_kind(std::uint64_t id, Visit&& visit) -> decltype(visit(static_cast<SessionObject*>(nullptr))) {
    switch (HandleParts::of(id).kind) {
        case MUSTER_KIND_SESSION: return visit(static_cast<SessionObject*>(nullptr));
        case MUSTER_KIND_BACKEND: return visit(static_cast<BackendObject*>(nullptr));
        case MUSTER_KIND_DEVICE: return visit(static_cast<DeviceObject*>(nullptr));
        case MUSTER_KIND_TARGET: return visit(static_cast<TargetObject*>(nullptr));
        case MUSTER_KIND_PROGRAM: return visit(static_cast<ProgramObject*>(nullptr));
        case MUSTER_KIND_ROUTE: return visit(static_cast<RouteObject*>(nullptr));
        case MUSTER_KIND_KERNEL: return visit(static_cast<KernelObject*>(nullptr));
        case MUSTER_KIND_BOUND: return visit(static_cast<BoundObject*>(nullptr));
        case MUSTER_KIND_BUFFER: return visit(static_cast<BufferObject*>(nullptr));
        case MUSTER_KIND_TICKET: return visit(static_cast<Ticket*>(nullptr));
        case MUSTER_KIND_SEQUENCE: return visit(static_cast<SequenceObject*>(nullptr));
        case MUSTER_KIND_ARTIFACT: return visit(static_cast<ArtifactObject*>(nullptr));
        case MUSTER_KIND_BLOB: return visit(static_cast<BlobObject*>(nullptr));
        case MUSTER_KIND_TENSOR: return visit(static_cast<TensorObject*>(nullptr));
        case MUSTER_KIND_MODEL: return visit(static_cast<ModelObject*>(nullptr));
        case MUSTER_KIND_REPORT: return visit(static_cast<ReportObject*>(nullptr));
        default: return invalid_handle(id, UINT8_MAX);
    }
}

/// An object that can be asked, with what keeps it.
Answer<std::shared_ptr<const Object>> object_of(std::uint64_t id) {
    if (id == MUSTER_PROCESS) return process_object();
    return of_kind(id, [&]<class T>(T*) -> Answer<std::shared_ptr<const Object>> {
        if constexpr (std::is_same_v<T, Ticket>)
            return std::make_shared<TicketObject>(TRY(get<Ticket>(id)));
        else
            return TRY(get<T>(id));
    });
}

/// One of a property's values; unknown past the end.
Answer<Value> value_of(const Object& object, std::int32_t property, std::size_t index) {
    const Property found = TRY(object.ask(property));
    if (index >= found.count) return Value();
    return found.at ? found.at(index) : found.value;
}

std::unexpected<Fault> other_type(std::int32_t property, std::string_view is) {
    return std::unexpected<Fault>(Error{ErrorCode::invalid_argument,
                                        fmt::format("The property {} is {}.", property, is),
                                        "ask with get_text, get_number or get_real, as muster.h says of it",
                                        {}});
}

struct TypeOf {
    std::string_view operator()(std::monostate) const { return "unknown"; }
    std::string_view operator()(std::uint64_t) const { return "a number"; }
    std::string_view operator()(double) const { return "a real number"; }
    std::string_view operator()(const std::string&) const { return "text"; }
    std::string_view operator()(std::string_view) const { return "text"; }
};

/// A value of one type. MUSTER_NONE: it is unknown.
template <class T, class To>
Answer<muster_status> tell(std::uint64_t id, std::int32_t property, std::size_t index, To* to) {
    if (to == nullptr) return null_pointer("value");
    const Value value = TRY(value_of(*TRY(object_of(id)), property, index));
    if (std::holds_alternative<std::monostate>(value)) return MUSTER_NONE;
    const T* const found = std::get_if<T>(&value);
    if (found == nullptr) return other_type(property, std::visit(TypeOf(), value));
    *to = *found;
    return MUSTER_OK;
}

Answer<muster_status> tell_text(std::uint64_t id, std::int32_t property, std::size_t index,
                                muster_string* to) {
    if (to == nullptr) return null_pointer("value");
    const auto object = TRY(object_of(id));
    Value value = TRY(value_of(*object, property, index));
    if (std::holds_alternative<std::monostate>(value)) return MUSTER_NONE;
    if (const auto* lasting = std::get_if<std::string_view>(&value)) {
        *to = view(*lasting);
    } else if (auto* made = std::get_if<std::string>(&value)) {
        *to = view(object->keep_text(property, index, std::move(*made)));
    } else {
        return other_type(property, std::visit(TypeOf(), value));
    }
    return MUSTER_OK;
}

Answer<void> release(std::uint64_t id) {
    if (id == 0 || id == MUSTER_PROCESS) return {};
    return of_kind(id, [&]<class T>(T*) -> Answer<void> {
        (void)TRY(table<T>().remove(id));
        return {};
    });
}

// clang-format off
constexpr std::array<std::string_view, 18> error_names{
    "ok", "invalid_argument", "invalid_program", "unsupported", "limit_exceeded", "not_found", "conflict", "refused",
    "unavailable", "compile_failed", "compile_timed_out", "device_lost", "out_of_memory", "timed_out", "io_failed",
    "internal", "invalid_handle", "version"};
// clang-format on

}  // namespace

void add_objects(muster_api& api) {
    api.last_error = [](muster_error* to) -> muster_status {
        if (to == nullptr || !is_writable(*to)) return MUSTER_ERROR_INVALID_ARGUMENT;
        muster_error told{};
        if (!tell_last_error(told)) return MUSTER_NONE;
        write(to, told);
        return MUSTER_OK;
    };
    api.status_name = [](muster_status status) -> muster_string {
        if (status == MUSTER_NONE) return view("none");
        const std::int64_t which = -std::int64_t{status};
        return view(which >= 0 && which < static_cast<std::int64_t>(error_names.size())
                        ? error_names[static_cast<std::size_t>(which)]
                        : "unknown");
    };
    api.release = [](std::uint64_t id) { return call([&] { return release(id); }); };
    api.duplicate = [](std::uint64_t id, std::uint64_t* copy) {
        return call([&]() -> Answer<void> {
            if (copy == nullptr) return null_pointer("copy");
            if (id == MUSTER_PROCESS) {
                *copy = id;
                return {};
            }
            *copy = TRY(of_kind(
                id, [&]<class T>(T*) -> Answer<std::uint64_t> { return table<T>().add(TRY(get<T>(id))); }));
            return {};
        });
    };
    api.kind_of = [](std::uint64_t id, std::int32_t* kind) {
        return call([&]() -> Answer<void> {
            if (kind == nullptr) return null_pointer("kind");
            if (id != MUSTER_PROCESS) {
                TRY(of_kind(id, [&]<class T>(T*) -> Answer<void> {
                    (void)TRY(get<T>(id));
                    return {};
                }));
            }
            *kind = id == MUSTER_PROCESS ? std::int32_t{MUSTER_KIND_PROCESS}
                                         : std::int32_t{HandleParts::of(id).kind};
            return {};
        });
    };
    api.get_text = [](std::uint64_t id, std::int32_t property, std::size_t index, muster_string* value) {
        return call([&] { return tell_text(id, property, index, value); });
    };
    api.get_number = [](std::uint64_t id, std::int32_t property, std::size_t index, std::uint64_t* value) {
        return call([&] { return tell<std::uint64_t>(id, property, index, value); });
    };
    api.get_real = [](std::uint64_t id, std::int32_t property, std::size_t index, double* value) {
        return call([&] { return tell<double>(id, property, index, value); });
    };
    api.get_count = [](std::uint64_t id, std::int32_t property, std::size_t* count) {
        return call([&]() -> Answer<void> {
            if (count == nullptr) return null_pointer("count");
            const Property found = TRY(TRY(object_of(id))->ask(property));
            *count = found.at || !std::holds_alternative<std::monostate>(found.value) ? found.count : 0;
            return {};
        });
    };
    api.get_json = [](std::uint64_t id, muster_blob* json) {
        return call([&]() -> Answer<void> {
            if (json == nullptr) return null_pointer("json");
            return give_blob(json, TRY(TRY(object_of(id))->json()));
        });
    };
}

}  // namespace muster::c
