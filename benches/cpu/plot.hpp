// plot.hpp - tables of figures as files of a folder, with a gnuplot script that plots each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::bench {

struct Plot {
    std::string name;  // of its files: NAME.tsv, NAME.svg
    std::string x, y;  // what the axes are
    bool logarithmic = false;
    std::map<std::string, std::map<double, double>> curves = {};  // by name: y of each x
};

/// Letters and digits of a text, with - for all else between them.
std::string file_name(std::string_view text);
/// Writes NAME.tsv for each plot and plots.gnuplot, which makes NAME.svg, and runs gnuplot if it is
/// there. Says what it did.
void write_plots(const std::string& folder, const std::vector<Plot>& plots);

}  // namespace muster::bench
