// backend.hpp - a backend that a table in C describes (muster_backend.h), as the driver's Backend.
//
//     backend.factory = [table, id] { return make_table_backend(table, id); };
//     backend.supported_ops = [table]() -> const OpSet& { return table_operations(table); };
//
// All that stands above it, routing, expansion, grid barriers, checks, is the same as for any backend. Files: table (what is
// checked, the door to functions), properties (devices and targets), dialect and code (programs as text), device and launches
// (what runs). Threads: any.
#pragma once

#include <memory>
#include <string_view>

#include <muster/driver/c_table/muster_backend.h>
#include <muster/driver/contract/backend.hpp>

namespace muster {

/// Errors: check_table()'s and targets_of()'s.
Result<std::unique_ptr<Backend>> make_table_backend(const muster_backend_table* table, std::string_view id);
/// The operations of the forms of code that the table takes: none if the table is wrong. Touches no device.
const OpSet& table_operations(const muster_backend_table* table);

}  // namespace muster
