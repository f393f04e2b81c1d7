#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/webgpu/object.hpp>

namespace muster::webgpu {
namespace {

constexpr std::array<std::string_view, kind_count> names{
    "instance",        "adapter",           "device",          "queue",         "buffer",
    "shader module",   "bind group layout", "pipeline layout", "bind group",    "compute pipeline",
    "command encoder", "compute pass",      "command buffer",  "query set",     "texture",
    "texture view",    "sampler",           "render pipeline", "render bundle", "render bundle encoder",
    "render pass",     "surface",           "external texture"};

std::array<std::atomic<std::size_t>, kind_count> counts{};

std::mutex& labels_mutex() {
    static auto* const mutex = new std::mutex;  // never destroyed: objects may outlive static ones
    return *mutex;
}

}  // namespace

std::string_view name(Kind kind) { return names[static_cast<std::size_t>(kind)]; }

std::size_t living(Kind kind) {
    return counts[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
}

Object::Object(Kind kind, std::string label, std::uint32_t held)
    : kind_(kind), external_(held), label_(std::move(label)) {
    counts[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
}

Object::~Object() { counts[static_cast<std::size_t>(kind_)].fetch_sub(1, std::memory_order_relaxed); }

void Object::released_too_often() {
    external_.fetch_add(1, std::memory_order_relaxed);
    log(LogLevel::error,
        fmt::format("The {} is released once more than the program has references to it.\n"
                    "Fix: release what a function returned, or what was kept with AddRef, once.",
                    shown()));
}

std::string Object::label() const {
    const std::lock_guard lock(labels_mutex());
    return label_;
}

void Object::set_label(std::string label) {
    const std::lock_guard lock(labels_mutex());
    label_.swap(label);
}

std::string Object::shown() const {
    const std::string own = label();
    return own.empty() ? fmt::format("{} without a label", name(kind_))
                       : fmt::format("{} \"{}\"", name(kind_), printable(own));
}

std::string_view text_of(WGPUStringView view) {
    if (view.data == nullptr) return {};
    return view.length == WGPU_STRLEN ? std::string_view(view.data)
                                      : std::string_view(view.data, view.length);
}

}  // namespace muster::webgpu
