// muster.hpp - all of muster's public face.
#pragma once

// clang-format off
#include <muster/foundation/cxx23.hpp>  // before all others
// clang-format on

#include <muster/driver/backend.hpp>
#include <muster/driver/backends.hpp>
#include <muster/driver/candidate.hpp>
#include <muster/driver/freeze.hpp>
#include <muster/driver/log.hpp>
#include <muster/driver/make_backend.hpp>
#include <muster/driver/plugins.hpp>
#include <muster/driver/session.hpp>
#include <muster/foundation/kernel.hpp>
#include <muster/foundation/program.hpp>
#include <muster/foundation/result.hpp>
#include <muster/foundation/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
