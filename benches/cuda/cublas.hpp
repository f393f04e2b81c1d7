// cublas.hpp - the peer for matrix products, opened at run time, on the current context.
#pragma once

#include <memory>
#include <string>

#include "raw.hpp"

namespace muster::bench {

class Cublas {
  public:
    /// Opens cuBLAS. Null if there is no libcublas (13 or 12).
    static std::unique_ptr<Cublas> open();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;
    ~Cublas();

    /// c = a * b, all n x n, row-major, f32 without TF32. Returns when it is done.
    void sgemm(int n, const RawBuffer& a, const RawBuffer& b, const RawBuffer& c) const;

  private:
    Cublas() = default;

    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*sgemm_)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                  const float*, float*, int) = nullptr;
};

}  // namespace muster::bench
