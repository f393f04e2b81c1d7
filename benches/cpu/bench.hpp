// bench.hpp - the tools of the rows: a session, the peers of one mode, sizes. Errors end the program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../support/kernel_kit.hpp"
#include "contest.hpp"
#include "opencl.hpp"
#include "peers.hpp"

namespace muster::bench {

/// The launches of an OpenCL peer, and the memory that its result is in.
struct OpenClRun {
    std::vector<std::function<void()>> launches;
    std::function<std::vector<float>()> result;
    std::function<void()> reset = {};
};

struct Bench {
    Session session;
    Precision precision;
    const Peers& cpp;
    std::span<const std::unique_ptr<OpenCl>> opencl;

    /// The kernel of a file in the source folder.
    Kernel kernel(const std::string& path, std::vector<wgsl::OverrideValue> overrides = {}) {
        return prepare(session, read_text(path), precision, std::move(overrides));
    }
    template <class T>
    Buffer buffer(const std::vector<T>& from) {
        return must(session.buffer(from));
    }
    Ticket submit(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        return must(session.dispatch(kernel, std::span<const Argument>(arguments), grid));
    }
    void run(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        must(submit(kernel, arguments, grid).wait());
    }
    /// A row's tolerance. In fast mode Intel's exp and log are less accurate than others'.
    double tolerance(double exact, double fast) const { return precision == Precision::exact ? exact : fast; }
    /// Adds a peer for each OpenCL platform. `make` gives each its own memory for results.
    void add_opencl(Contest& contest, const std::function<OpenClRun(OpenCl&)>& make);
};

/// The target of a row: at least `ratio` times the speed of the slowest of these peers that is there. If none
/// is, the row's other goals stand in.
struct Goal {
    std::vector<std::string> peers;
    double ratio;
};
/// The sizes of a row in --sweep: from the first, each twice the one before, up to the last.
struct Sweep {
    std::size_t first = 0, last = 0;  // 0: the row has none
    int dimensions = 1;               // there are this power of the size of elements
    double bytes = 0;  // of memory for an element, everything included; 0: memory doesn't limit it
};
struct Row {
    std::string name;
    std::size_t size;
    std::vector<Goal> exact, fast;
    Contest (*make)(Bench&, std::size_t size);
    Sweep sweep = {};
};
std::span<const Row> rows();

/// Rows of whole kernels (measuring/whole_kernels).
Contest spmv(Bench& bench, std::size_t scale);
Contest attention(Bench& bench, std::size_t scale);
Contest kmeans(Bench& bench, std::size_t scale);
Contest radix_sort(Bench& bench, std::size_t scale);

/// Measures and prints the rows about calls and start-up. `small` divides the size of the
/// row on one core and two.
void print_calls(Bench& bench, const std::string& backend, std::size_t small);

}  // namespace muster::bench
