// muster.hpp - the interface for programs that run kernels: everything that such a program may use.
//
// A backend's author includes backend_sdk.hpp. Models have graph.hpp and onnx.hpp. Only what these
// headers include is installed.
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/make_backend.hpp>
#include <muster/driver/helper/tuned_overrides.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/policy/feature.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/probing/physical_devices.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/lang/kernel.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
