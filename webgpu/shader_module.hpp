// shader_module.hpp - shader modules of WGSL: their text, what their entry points need, and
// the messages about them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/webgpu/device.hpp>

namespace muster::webgpu {

/// A message about a module's text. Positions are in bytes of UTF-8, as webgpu.h has them.
struct ModuleMessage {
    std::string text;
    std::uint64_t line = 0, column = 0;  // from 1; 0: of no place
    std::uint64_t offset = 0, bytes = 0;
};
/// The messages in an error of the front end, whose text names `file` in front of each.
std::vector<ModuleMessage> messages_of(std::string_view error, std::string_view file,
                                       std::string_view source);

/// A module that has been read.
struct ReadModule {
    std::string file;  // its name in messages
    std::string source;
    std::vector<std::string> enables;  // extensions that features of wgpu-native stand for
    wgsl::Interface interface = {};
    std::vector<wgsl::Override> overrides = {};
    std::vector<std::optional<ValidProgram>> programs =
        {};  // of the entries, with the overrides' own values, if they have any
};
/// Errors: invalid_program, unsupported (an extension that the device has not been asked for).
Result<ReadModule> read_module(const GpuDevice& device, std::string file, std::string_view source);

}  // namespace muster::webgpu

struct WGPUShaderModuleImpl final : muster::webgpu::DeviceObject {
    WGPUShaderModuleImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                         std::optional<muster::webgpu::ReadModule> module,
                         std::vector<muster::webgpu::ModuleMessage> messages)
        : DeviceObject(muster::webgpu::Kind::shader_module, std::move(device), std::move(label),
                       module.has_value()),
          module(std::move(module)),
          messages(std::move(messages)) {}
    const std::optional<muster::webgpu::ReadModule> module;
    const std::vector<muster::webgpu::ModuleMessage> messages;
};

namespace muster::webgpu {

using ShaderModule = ::WGPUShaderModuleImpl;

/// The entry point of this name, or the only one if it is absent. Errors: not_found,
/// invalid_argument, unsupported.
Result<std::size_t> find_entry(const ShaderModule& module, std::optional<std::string_view> name);
/// The program of an entry point with these values of overrides. Errors: invalid_argument, invalid_program.
Result<ValidProgram> program_of(const ShaderModule& module, std::size_t entry,
                                std::span<const WGPUConstantEntry> constants);

}  // namespace muster::webgpu
