#include "cublas.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/core.h>

namespace muster::bench {
namespace {

void must_cublas(const char* call, int status) {
    if (status == 0) return;
    fmt::print(stderr, "{} fails: {}.\n", call, status);
    std::exit(1);
}

const float* pointer(const RawBuffer& buffer) {
    return reinterpret_cast<const float*>(static_cast<std::uintptr_t>(buffer->at));
}

template <class F>
bool load(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::unique_ptr<Cublas> Cublas::open() {
    void* library = nullptr;
    for (const char* name : {"libcublas.so.13", "libcublas.so.12"})
        if (library == nullptr) library = dlopen(name, RTLD_NOW);
    if (library == nullptr) return nullptr;
    std::unique_ptr<Cublas> made(new Cublas);
    int (*create)(void**) = nullptr;
    if (!load(library, "cublasCreate_v2", create) || !load(library, "cublasDestroy_v2", made->destroy_) ||
        !load(library, "cublasSgemm_v2", made->sgemm_))
        return nullptr;
    must_cublas("cublasCreate", create(&made->handle_));
    return made;
}

Cublas::~Cublas() {
    if (handle_ != nullptr) destroy_(handle_);
}

// cuBLAS is column-major, and the transposed product is b's transpose times a's.
void Cublas::sgemm(int n, const RawBuffer& a, const RawBuffer& b, const RawBuffer& c) const {
    constexpr int not_transposed = 0;
    const float one = 1, zero = 0;
    must_cublas("cublasSgemm", sgemm_(handle_, not_transposed, not_transposed, n, n, n, &one, pointer(b), n,
                                      pointer(a), n, &zero, const_cast<float*>(pointer(c)), n));
    must_cuda("cuStreamSynchronize", cuda().cuStreamSynchronize(nullptr));
}

}  // namespace muster::bench
