// compile_for.hpp - compiles a program for a device at hand and loads it, or takes its code from the disk. Internal to
// driver/.
//
//     Artifact artifact = TRY(compile_for(device, program, options));
//     auto executable = TRY(load_for(device, program, options, artifact));
//
// Code is kept if the device says what it depends on (DeviceInfo::compiler). Its key also covers the program, with its text
// and lines, the options, muster's build, and what else of the device decides about expansion. Threads: any.
#pragma once

#include <memory>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// Compiles a program, expanded for the device. Errors: those of expand_for() and the device.
Result<Artifact> compile_for(Device& device, const ValidProgram& program, const CompileOptions& options,
                             const DiskCache& cache = DiskCache::process());

/// Loads what compile_for() has returned for the same program and options. Code from the disk that the device doesn't load
/// is dropped and compiled again, unless the device is lost or memory is short. Errors: those of compile_for() and
/// the device.
Result<std::unique_ptr<Executable>> load_for(Device& device, const ValidProgram& program,
                                             const CompileOptions& options, Artifact& artifact,
                                             const DiskCache& cache = DiskCache::process());

}  // namespace muster
