// unique_handle.hpp - owns a handle of a native API, and destroys it by way of what it was
// made from, such as a device.
//
//     void destroy(const Gpu& gpu, Fence fence) { gpu.table().destroy_fence(gpu.handle(), fence); }
//     using UniqueFence = UniqueHandle<Fence, Gpu, destroy>;
//     UniqueFence fence(gpu);
//     TRY(check("create_fence", [&] { return gpu.table().create_fence(gpu.handle(), fence.out()); }));
//
// A handle's null value is T{}. Its source outlives it. Threads: movable values, one thread at a time.
#pragma once

#include <utility>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class T, class Source, void (*destroy)(const Source&, T)>
class UniqueHandle {
  public:
    UniqueHandle() = default;
    explicit UniqueHandle(const Source& source) : source_(&source) {}
    UniqueHandle(UniqueHandle&& other) noexcept
        : source_(other.source_), handle_(std::exchange(other.handle_, T{})) {}
    UniqueHandle& operator=(UniqueHandle&& other) noexcept {
        std::swap(source_, other.source_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~UniqueHandle() {
        if (handle_ != T{}) destroy(*source_, handle_);
    }
    T get() const { return handle_; }
    /// Output argument for the call that creates the object. Precondition: no object is owned yet.
    T* out() { return &handle_; }

  private:
    const Source* source_ = nullptr;
    T handle_{};
};

MUSTER_API_END
}  // namespace muster
