// records.hpp - the records of backends in C (muster_backend.h), which lie as those of records.hpp in the contract do.
//
//     if (of_table(record)) backend.factory = ...;  // its registration has a table instead of a factory
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string_view>

#include <muster/driver/c_table/muster_backend.h>
#include <muster/driver/contract/records.hpp>

namespace muster {

/// True for a record of a backend in C: it depends on no compiler and no C++ library.
inline bool of_table(const RecordHeader& record) {
    const bool is_there = record.kind == RecordKind::registration || record.kind == RecordKind::precedence ||
                          record.kind == RecordKind::capability || record.kind == RecordKind::environment;
    return is_there && record.abi.view() == MUSTER_BACKEND_ABI;
}

static_assert(sizeof(muster_backend_record) == sizeof(RecordHeader) &&
              offsetof(muster_backend_record, kind) == offsetof(RecordHeader, kind) &&
              offsetof(muster_backend_record, abi) == offsetof(RecordHeader, abi) &&
              offsetof(muster_backend_record, origin) == offsetof(RecordHeader, origin));
static_assert(sizeof(muster_backend_registration) == sizeof(BackendRegistration) &&
              offsetof(muster_backend_registration, id) == offsetof(BackendRegistration, id) &&
              offsetof(muster_backend_registration, table) == offsetof(BackendRegistration, factory) &&
              offsetof(muster_backend_registration, tags) == offsetof(BackendRegistration, tags));
static_assert(sizeof(muster_backend_precedence) == sizeof(BackendPrecedence) &&
              offsetof(muster_backend_precedence, rank) == offsetof(BackendPrecedence, rank));
static_assert(sizeof(muster_backend_capability) == sizeof(BackendCapability) &&
              offsetof(muster_backend_capability, dispatches) == offsetof(BackendCapability, dispatches));

}  // namespace muster
