// forwarding_backend.hpp - a backend that forwards every call to another one. Use it to give a
// shared backend to an owner of a unique_ptr, or derive from it to override single functions.
// Threads: as the wrapped backend.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/contract/backend.hpp>

namespace muster {

class ForwardingBackend : public Backend {
  public:
    explicit ForwardingBackend(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}
    std::string_view id() const override { return backend_->id(); }
    Result<std::vector<DeviceInfo>> probe() override { return backend_->probe(); }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override { return backend_->open(ordinal); }
    std::string default_arch() const override { return backend_->default_arch(); }
    std::span<const std::string> formats() const override { return backend_->formats(); }
    std::span<const SpecInfo> specs() const override { return backend_->specs(); }
    Result<Target> describe(std::string_view arch) override { return backend_->describe(arch); }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        return backend_->emit(program, target, request);
    }
    std::string objection(const Artifact& code, const DeviceInfo& device) const override {
        return backend_->objection(code, device);
    }
    Result<std::string> disassemble(const Artifact& code) const override {
        return backend_->disassemble(code);
    }
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override {
        return backend_->free_memory(ordinal);
    }
    GraphCompiler* graph_compiler() override { return backend_->graph_compiler(); }

  private:
    std::shared_ptr<Backend> backend_;
};

}  // namespace muster
