// support_table.hpp - docs/support.md: the behaviours that each backend has shown, generated from the
// conformance cases.
#pragma once

#include <map>
#include <string>

namespace muster::conformance {

struct Tally {
    int passed = 0, cases = 0;
    std::string text() const;  // "all 7", "6 of 7"
};

/// By behaviour (the case's folder), then backend id.
using SupportTable = std::map<std::string, std::map<std::string, std::string>>;

SupportTable parse_support_table(const std::string& markdown);
std::string print_support_table(const SupportTable& table);

using Tallies = std::map<std::string, std::map<std::string, Tally>>;

/// What was seen of the backends that the table has a column for: another one, such as a stranger's, isn't its business.
Tallies known_columns(const SupportTable& table, Tallies seen);

/// Merges this run's results into the document, which keeps its rows for backends that this machine doesn't
/// have.
SupportTable merge(SupportTable document, const Tallies& seen);

}  // namespace muster::conformance
