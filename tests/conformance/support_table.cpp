#include "conformance/support_table.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace muster::conformance {
namespace {

constexpr std::string_view head =
    "# What each backend has been shown to do\n\n"
    "Generated from the conformance cases (conformance/cases, one behaviour per file): how many of "
    "them gave the\n"
    "interpreter's bits in exact mode, by folder and backend. `MUSTER_WRITE_SUPPORT=1 "
    "build/bin/conformance_test` writes\n"
    "this file again for the backends of the machine it runs on; the test fails if the table differs "
    "from what it sees.\n\n";

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
        const auto first = cell.find_first_not_of(' ');
        if (first == std::string::npos) continue;
        cells.push_back(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    return cells;
}

}  // namespace

std::string Tally::text() const {
    return passed == cases ? fmt::format("all {}", cases) : fmt::format("{} of {}", passed, cases);
}

SupportTable parse_support_table(const std::string& markdown) {
    SupportTable table;
    std::vector<std::string> columns;
    std::istringstream in(markdown);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("|") || line.starts_with("|-") || line.starts_with("| -")) continue;
        const std::vector<std::string> row = cells(line);
        if (columns.empty()) {
            columns = row;
            continue;
        }
        for (std::size_t i = 1; i < row.size() && i < columns.size(); ++i) table[row[0]][columns[i]] = row[i];
    }
    return table;
}

std::string print_support_table(const SupportTable& table) {
    std::set<std::string> backends;
    for (const auto& [behaviour, row] : table) {
        for (const auto& [backend, cell] : row) backends.insert(backend);
    }
    std::string out(head);
    out += "| behaviour |";
    std::string rule = "| --- |";
    for (const std::string& backend : backends) {
        out += " " + backend + " |";
        rule += " --- |";
    }
    out += "\n" + rule + "\n";
    for (const auto& [behaviour, row] : table) {
        out += "| " + behaviour + " |";
        for (const std::string& backend : backends) {
            const auto cell = row.find(backend);
            out += " " + (cell == row.end() ? "not run" : cell->second) + " |";
        }
        out += "\n";
    }
    return out;
}

Tallies known_columns(const SupportTable& table, Tallies seen) {
    const auto has_column = [&](const std::string& backend) {
        return std::ranges::any_of(table, [&](const auto& row) { return row.second.contains(backend); });
    };
    for (auto& [behaviour, row] : seen)
        std::erase_if(row, [&](const auto& cell) { return !has_column(cell.first); });
    return seen;
}

SupportTable merge(SupportTable document, const Tallies& seen) {
    for (const auto& [behaviour, row] : seen) {
        for (const auto& [backend, tally] : row) document[behaviour][backend] = tally.text();
    }
    for (auto row = document.begin();
         row != document.end();) {  // drops behaviours that no case shows any more
        row = seen.contains(row->first) ? std::next(row) : document.erase(row);
    }
    return document;
}

}  // namespace muster::conformance
