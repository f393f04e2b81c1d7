// device.hpp - a math function as a device computes it in fast mode.
//
//     const auto of_device = TRY(FastFunction::open(Op::sin, "vulkan"));
//     of_device.apply(x, y, got);          // got[i] is the device's sin of x[i]
#pragma once

#include <span>
#include <string>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

class FastFunction {
  public:
    /// The policy pins `device`, such as "cpu" or "vulkan:0". Errors: those of Session::prepare.
    static Result<FastFunction> open(Op op, const std::string& device);

    /// Applies the function to up to block_size arguments; y doesn't count for a function of one operand. Not for several
    /// threads at once. Throws if the device fails.
    void apply(std::span<const float> x, std::span<const float> y, std::span<float> got);

    std::string device_name() const { return kernel_.device().name; }

  private:
    FastFunction(Session session, Kernel kernel, Buffer x, Buffer y, Buffer got)
        : session_(std::move(session)),
          kernel_(std::move(kernel)),
          x_(std::move(x)),
          y_(std::move(y)),
          got_(std::move(got)) {}

    Session session_;
    Kernel kernel_;
    Buffer x_, y_, got_;
};

}  // namespace muster::math_errors
