// object.hpp - what all objects of the interface have: two counts of references, and a label.
//
// A program's references are counted apart from those of other objects, because the last release of a device
// by the program destroys it, though its buffers keep it in memory. All of a program's references together
// hold one of the others. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <muster/webgpu/header.hpp>

namespace muster::webgpu {

enum class Kind : std::uint8_t {
    instance,
    adapter,
    device,
    queue,
    buffer,
    shader_module,
    bind_group_layout,
    pipeline_layout,
    bind_group,
    compute_pipeline,
    command_encoder,
    compute_pass,
    command_buffer,
    query_set,
    texture,
    texture_view,
    sampler,
    render_pipeline,
    render_bundle,
    render_bundle_encoder,
    render_pass,
    surface,
    external_texture,
};
inline constexpr std::size_t kind_count = 23;
/// "bind group layout", as in messages.
std::string_view name(Kind kind);

/// The objects of a kind that live in this process.
std::size_t living(Kind kind);

class Object {
  public:
    /// `held`: the program's references at first, 1 or 0.
    Object(Kind kind, std::string label, std::uint32_t held = 1);
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object();

    Kind kind() const { return kind_; }
    std::string label() const;
    void set_label(std::string label);
    /// The object for messages: `buffer "weights"`, or `buffer without a label`.
    std::string shown() const;

    // References of the program:
    void add_ref() {
        if (external_.fetch_add(1, std::memory_order_relaxed) == 0) first_ref();
    }
    /// One release more than the program has references is noticed as long as
    /// something else keeps the object.
    void release() {
        const std::uint32_t before = external_.fetch_sub(1, std::memory_order_acq_rel);
        if (before == 1) last_release();
        if (before == 0) released_too_often();
    }
    bool is_held() const { return external_.load(std::memory_order_relaxed) != 0; }

    // References of other objects:
    void keep() const { refs_.fetch_add(1, std::memory_order_relaxed); }
    /// Like keep(), unless the object is about to be deleted.
    bool try_keep() const {
        std::uint32_t refs = refs_.load(std::memory_order_relaxed);
        while (refs != 0)
            if (refs_.compare_exchange_weak(refs, refs + 1, std::memory_order_relaxed)) return true;
        return false;
    }
    void drop() const {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

  protected:
    /// Called when the program's first reference is made, and once its last one is gone.
    virtual void first_ref() { keep(); }
    virtual void last_release() { drop(); }

  private:
    void released_too_often();

    const Kind kind_;
    mutable std::atomic<std::uint32_t> refs_{1};
    std::atomic<std::uint32_t> external_;
    std::string label_;  // guarded by one mutex for all
};

/// A reference of one object to another; null if empty.
template <class T>
class Ref {
  public:
    Ref() = default;
    Ref(T* object) : object_(object) {  // NOLINT: as a pointer
        if (object_) object_->keep();
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) object_->drop();
    }
    /// Takes over a reference that was kept before.
    static Ref adopt(T* object) {
        Ref made;
        made.object_ = object;
        return made;
    }
    T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }
    bool operator==(const Ref& other) const { return object_ == other.object_; }

  private:
    T* object_ = nullptr;
};

/// The text of a view; an absent one is empty.
std::string_view text_of(WGPUStringView view);
/// True if the view is absent, rather than empty.
inline bool is_absent(WGPUStringView view) { return view.data == nullptr && view.length == WGPU_STRLEN; }
/// A view of text, which must outlive it.
inline WGPUStringView view_of(std::string_view text) { return {text.data(), text.size()}; }
inline std::string label_of(WGPUStringView view) { return std::string(text_of(view)); }

}  // namespace muster::webgpu

/// The functions that each object has for its references and its label.
#define MUSTER_WEBGPU_OBJECT(Name)                                       \
    void wgpu##Name##AddRef(WGPU##Name object) { object->add_ref(); }    \
    void wgpu##Name##Release(WGPU##Name object) { object->release(); }   \
    void wgpu##Name##SetLabel(WGPU##Name object, WGPUStringView label) { \
        object->set_label(muster::webgpu::label_of(label));              \
    }
