// objects.hpp - the objects behind the handles, and where each kind of them is looked up.
//
//     const auto session = TRY(get<SessionObject>(handle.id));       // a std::shared_ptr
//     TRY(give_handle(result, std::make_shared<SessionObject>(...)));
//
// Tickets lie in their table themselves: one is made for each dispatch. Threads: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <muster/c/given_memory.hpp>
#include <muster/c/handles.hpp>
#include <muster/c/object.hpp>
#include <muster/c/structures.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::c {

template <std::uint8_t of_kind>
class ObjectOf : public Object {
  public:
    static constexpr std::uint8_t handle_kind = of_kind;
    std::uint8_t kind() const final { return of_kind; }
};

class SessionObject final : public ObjectOf<MUSTER_KIND_SESSION> {
  public:
    SessionObject(Session of, Precision unless_said) : session(std::move(of)), precision(unless_said) {}
    Answer<Property> ask(std::int32_t property) const override;

    mutable Session session;
    const Precision precision;  // of compile options that say none
};

class BackendObject final : public ObjectOf<MUSTER_KIND_BACKEND> {
  public:
    BackendObject(std::shared_ptr<Fleet> of, std::size_t number) : fleet(std::move(of)), which(number) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const std::shared_ptr<Fleet> fleet;
    const std::size_t which;
};

class DeviceObject final : public ObjectOf<MUSTER_KIND_DEVICE> {
  public:
    DeviceObject(std::shared_ptr<Fleet> of, Candidate is) : fleet(std::move(of)), candidate(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const std::shared_ptr<Fleet> fleet;
    const Candidate candidate;
};

class TargetObject final : public ObjectOf<MUSTER_KIND_TARGET> {
  public:
    explicit TargetObject(Target is) : target(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const Target target;
};

class ProgramObject final : public ObjectOf<MUSTER_KIND_PROGRAM> {
  public:
    explicit ProgramObject(ArtifactFile of) : file(std::move(of)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const ArtifactFile file;
};

class RouteObject final : public ObjectOf<MUSTER_KIND_ROUTE> {
  public:
    explicit RouteObject(Route is) : route(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const Route route;
};

class KernelObject final : public ObjectOf<MUSTER_KIND_KERNEL> {
  public:
    KernelObject(std::shared_ptr<SessionObject> of, Kernel is)
        : session(std::move(of)), kernel(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;

    const std::shared_ptr<SessionObject> session;
    const Kernel kernel;
};

class BoundObject final : public ObjectOf<MUSTER_KIND_BOUND> {
  public:
    BoundObject(std::shared_ptr<SessionObject> of, BoundKernel is)
        : session(std::move(of)), bound(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override { return no_property(property); }

    const std::shared_ptr<SessionObject> session;
    const BoundKernel bound;
};

class BufferObject final : public ObjectOf<MUSTER_KIND_BUFFER> {
  public:
    BufferObject(std::shared_ptr<SessionObject> of, Buffer is, std::shared_ptr<const void> keeps = {},
                 void* at = nullptr)
        : session(std::move(of)), buffer(std::move(is)), owner(std::move(keeps)), address(at) {}
    Answer<Property> ask(std::int32_t property) const override;

    const std::shared_ptr<SessionObject> session;
    mutable Buffer buffer;
    const std::shared_ptr<const void> owner;  // of the host's memory that it is over
    void* const address;                      // of that memory; null: it is over none
};

class SequenceObject final : public ObjectOf<MUSTER_KIND_SEQUENCE> {
  public:
    SequenceObject(std::shared_ptr<SessionObject> of, Sequence is)
        : session(std::move(of)), sequence(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;

    const std::shared_ptr<SessionObject> session;
    mutable Sequence sequence;
};

class ArtifactObject final : public ObjectOf<MUSTER_KIND_ARTIFACT> {
  public:
    explicit ArtifactObject(Artifact is) : artifact(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override;

    const Artifact artifact;
};

class BlobObject final : public ObjectOf<MUSTER_KIND_BLOB> {
  public:
    explicit BlobObject(std::string is) : content(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;

    const std::string content;
};

/// The type that a handle of this object holds.
template <class T>
using Held = std::conditional_t<std::is_same_v<T, Ticket>, Ticket, std::shared_ptr<T>>;

template <class T>
constexpr std::uint8_t kind_of() {
    if constexpr (std::is_same_v<T, Ticket>)
        return MUSTER_KIND_TICKET;
    else
        return T::handle_kind;
}

/// The table of a kind, which outlives every static that might still call. A child of fork() has another.
template <class T>
HandleTable<Held<T>>& table() {
    struct OfKind : HandleTable<Held<T>> {
        OfKind() : HandleTable<Held<T>>(kind_of<T>()) {}
    };
    static auto& tables = *new PerProcess<OfKind>;
    return tables.get();
}

template <class T>
Answer<Held<T>> get(std::uint64_t id) {
    return table<T>().get(id);
}

/// Gives a handle of an object to the caller. Errors: invalid_argument (null), limit_exceeded.
template <class Handle, class T>
Answer<void> give_handle(Handle* to, T object) {
    if constexpr (std::is_same_v<T, Ticket>)
        to->id = TRY(table<Ticket>().add(std::move(object)));
    else
        to->id = TRY(table<typename T::element_type>().add(std::move(object)));
    return {};
}
/// Likewise, of text or bytes.
inline Answer<void> give_blob(muster_blob* to, std::string content) {
    return give_handle(to, std::make_shared<BlobObject>(std::move(content)));
}
/// A list of objects, of which the caller has room for some.
template <class Handle, class T>
Answer<void> give_list(Handle* list, std::size_t capacity, std::size_t* count,
                       std::vector<std::shared_ptr<T>> all) {
    if (count == nullptr) return null_pointer("count");
    if (list == nullptr && capacity > 0) return null_pointer("list");
    std::vector<Handle> given(std::min(all.size(), capacity));
    for (std::size_t i = 0; i < given.size(); ++i) {
        auto one = give_handle(&given[i], std::move(all[i]));
        if (one) continue;
        while (i > 0) (void)table<T>().remove(given[--i].id);
        return one;
    }
    std::ranges::copy(given, list);
    *count = all.size();
    return {};
}

}  // namespace muster::c
