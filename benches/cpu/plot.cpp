#include "plot.hpp"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/core.h>

namespace muster::bench {
namespace {

const char* const missing = "-";

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    if (file.flush()) return;
    fmt::print(stderr, "{} can't be written.\n", path.string());
    std::exit(1);
}

// A column for each curve, a line for each x.
std::string table(const Plot& plot) {
    std::set<double> all_x;
    std::string text = plot.x;
    for (const auto& [name, points] : plot.curves) {
        text += "\t" + name;
        for (const auto& [x, y] : points) all_x.insert(x);
    }
    for (const double x : all_x) {
        text += fmt::format("\n{}", x);
        for (const auto& [name, points] : plot.curves) {
            const auto found = points.find(x);
            text +=
                found == points.end() ? fmt::format("\t{}", missing) : fmt::format("\t{:.6g}", found->second);
        }
    }
    return text + "\n";
}

std::string script(const std::vector<Plot>& plots) {
    std::string text = fmt::format(
        "set terminal svg size 900, 600 noenhanced background \"white\"\nset datafile separator tab\n"
        "set datafile missing \"{}\"\nset key outside below\nset grid\n",
        missing);
    for (const Plot& plot : plots)
        text += fmt::format(
            "\n{} logscale xy\nset title \"{}\"\nset xlabel \"{}\"\nset ylabel \"{}\"\nset output "
            "\"{}.svg\"\n"
            "plot for [i = 2:{}] \"{}.tsv\" using 1:i with linespoints title columnheader(i)\n",
            plot.logarithmic ? "set" : "unset", plot.name, plot.x, plot.y, plot.name, plot.curves.size() + 1,
            plot.name);
    return text;
}

}  // namespace

std::string file_name(std::string_view text) {
    std::string name;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    return name;
}

void write_plots(const std::string& folder, const std::vector<Plot>& plots) {
    std::filesystem::create_directories(folder);
    for (const Plot& plot : plots) write(std::filesystem::path(folder) / (plot.name + ".tsv"), table(plot));
    write(std::filesystem::path(folder) / "plots.gnuplot", script(plots));
    if (std::system("command -v gnuplot > /dev/null") != 0)
        fmt::print(
            "{} has the figures, as .tsv files; nothing is plotted, since gnuplot isn't installed.\nFix: "
            "install "
            "gnuplot-nox, and run \"gnuplot plots.gnuplot\" there.\n",
            folder);
    else if (std::system(fmt::format("cd '{}' && gnuplot plots.gnuplot", folder).c_str()) != 0)
        fmt::print("gnuplot fails for {}/plots.gnuplot.\n", folder);
    else
        fmt::print("{} has the figures, as .tsv files, and their plots, as .svg files.\n", folder);
}

}  // namespace muster::bench
