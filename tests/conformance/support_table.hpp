// support_table.hpp - docs/support.md: which behaviours each backend has shown, generated from the
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

/// What was seen here laid over what the document says of backends that this machine hasn't.
SupportTable merge(SupportTable document, const std::map<std::string, std::map<std::string, Tally>>& seen);

}  // namespace muster::conformance
