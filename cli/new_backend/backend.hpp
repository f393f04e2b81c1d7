// backend.hpp - finds the device, opens it, and emits code for it without one.
#pragma once

#include <muster/backend_sdk.hpp>

namespace backend_mine {

class MineBackend final : public muster::Backend {
  public:
    std::string_view id() const override { return MUSTER_BACKEND_ID; }
    muster::Result<std::vector<muster::DeviceInfo>> probe() override;
    muster::Result<std::unique_ptr<muster::Device>> open(std::uint32_t ordinal) override;
    std::string default_arch() const override;
    std::span<const std::string> formats() const override;
    std::span<const muster::SpecInfo> specs() const override { return {}; }
    muster::Result<muster::Target> describe(std::string_view arch) override;
    muster::Result<muster::Artifact> emit(const muster::ValidProgram& program, const muster::Target& target,
                                          const muster::EmitRequest& request) override;
};

/// The operations that lower() handles. Routing refuses programs with any other, unless muster can replace it.
const muster::OpSet& supported_ops();

}  // namespace backend_mine
