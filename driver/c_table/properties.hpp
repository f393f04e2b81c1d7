// properties.hpp - devices and targets as a table describes them, as routing knows them.
//
//     DeviceInfo info = TRY(device_of(table, "mine", 0));
//
// Every number and text is checked: a description that can't be is an error with the member's name. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/c_table/table.hpp>
#include <muster/driver/contract/device_info.hpp>

namespace muster::c_table {

/// The name of a form, which is also that of its artifacts' format.
std::string_view form_name(std::uint32_t form);
/// The form of this name, or 0.
std::uint32_t form_of(std::string_view name);
/// The names of these forms, the preferred one first.
std::vector<std::string> form_names(std::uint32_t forms);
/// The operations that code of these forms can have.
const OpSet& operations_of(std::uint32_t forms);

struct Described {
    DeviceInfo info;
    std::uint32_t form = 0;
};
/// Errors: describe_device()'s; invalid_argument (what it says can't be).
Result<Described> device_of(const Table& table, std::string_view id, std::uint32_t ordinal);

struct DescribedTarget {
    Target target;
    std::uint32_t form = 0;
};
/// All targets, the default first; one for each form if the table describes none. Errors: describe_target()'s; invalid_argument.
Result<std::vector<DescribedTarget>> targets_of(const Table& table, std::string_view id);

}  // namespace muster::c_table
