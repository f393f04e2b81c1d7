// The kernels of the table: for each, our run of the WGSL text, and the peers' runs of the same work.
#include <algorithm>
#include <random>

#ifdef MUSTER_BENCH_OPENBLAS
#include <cblas.h>
#endif

#include "bench.hpp"

namespace muster::bench {
namespace {

template <class T>
std::function<Floats()> read(const Buffer& buffer) {
    return [buffer] {
        const std::vector<T> all = must(buffer.read_all<T>());
        return Floats(all.begin(), all.end());
    };
}
template <class T>
std::function<Floats()> copy(std::shared_ptr<std::vector<T>> of) {
    return [of] { return Floats(of->begin(), of->end()); };
}
template <class T>
std::shared_ptr<std::vector<T>> share(std::vector<T> of) {
    return std::make_shared<std::vector<T>>(std::move(of));
}
template <class T>
std::shared_ptr<std::vector<T>> zeros(std::size_t count) {
    return std::make_shared<std::vector<T>>(count);
}
Contest saxpy(Bench& bench, std::size_t n) {
    const float a = 1e-3f;
    const auto x = share(random_floats(n, 0, 1)), start = share(random_floats(n, 1, 2)), y = share(*start);
    Buffer on_device = bench.buffer(*y);
    const std::vector<Argument> arguments{{"a", a}, {"x", bench.buffer(*x)}, {"y", on_device}};
    const Kernel kernel = bench.kernel("examples/saxpy/saxpy.wgsl");
    Contest contest{.work = 12e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Invocations{n}); }, read<float>(on_device),
         [=]() mutable { must(on_device.write(std::span<const float>(*start))); }},
        {"OpenMP", [=, &bench] { bench.cpp.saxpy(n, a, x->data(), y->data()); }, copy(y),
         [=] { *y = *start; }}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<float>(n);
        return OpenClRun{{cl.kernel("saxpy", {a, host_memory(x), host_memory(theirs)}, {n, 1}, {256, 1})},
                         copy(theirs),
                         [=] { std::ranges::copy(*start, theirs->begin()); }};
    });
    return contest;
}

// In f16, beside f32's of as many bytes; the results are those of f32's first half.
Contest saxpy_f16(Bench& bench, std::size_t n) {
    const float a = 0.25f;
    const auto rounded = [](const Floats& floats) { return std::vector<f16>(floats.begin(), floats.end()); };
    Floats x = random_floats(n, 0, 1), y = random_floats(n, 1, 2);
    const auto halves_x = rounded(x), halves_y = rounded(y);
    const auto twice = [](Floats& floats, const std::vector<f16>& halves) {
        floats.assign(halves.begin(), halves.end());
        floats.resize(halves.size() / 2);
    };
    twice(x, halves_x);
    twice(y, halves_y);
    Buffer halves = bench.buffer(halves_y), floats = bench.buffer(y);
    const std::vector<Argument> of_halves{{"a", a}, {"x", bench.buffer(halves_x)}, {"y", halves}},
        of_floats{{"a", a}, {"x", bench.buffer(x)}, {"y", floats}};
    const Kernel kernel = bench.kernel("benches/cpu/kernels/saxpy_f16.wgsl"),
                 wide = bench.kernel("examples/saxpy/saxpy.wgsl");
    Contest contest{.work = 6e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 2e-3};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, of_halves, Invocations{n}); },
         [=] {
             Floats result = read<f16>(halves)();
             result.resize(n / 2);
             return result;
         },
         [=]() mutable { must(halves.write(std::span<const f16>(halves_y))); }},
        {"f32", [=, &bench] { bench.run(wide, of_floats, Invocations{n / 2}); }, read<float>(floats),
         [=]() mutable { must(floats.write(std::span<const float>(y))); }}};
    return contest;
}

// In passes, each of which leaves one sum per 512 values.
Contest sum(Bench& bench, std::size_t n) {
    const auto x = share(random_floats(n, 0, 1));
    const auto total = zeros<float>(1);
    std::vector<Buffer> buffers{bench.buffer(*x)};
    std::vector<std::size_t> sizes{n};
    while (sizes.back() > 1) {
        sizes.push_back((sizes.back() + 511) / 512);
        buffers.push_back(must(bench.session.zeros<float>(sizes.back())));
    }
    const Kernel kernel = bench.kernel("examples/kernels/reduce.wgsl");
    Contest contest{.work = 4e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 2e-3};
    contest.contenders = {
        {"muster",
         [=, &bench] {
             for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
                 const Ticket ticket = bench.submit(
                     kernel, {{"values", buffers[i]}, {"sums", buffers[i + 1]}}, Workgroups{sizes[i + 1]});
                 if (i + 2 == sizes.size()) must(ticket.wait());
             }
         },
         read<float>(buffers.back())},
        {"OpenMP", [=, &bench] { (*total)[0] = bench.cpp.sum(n, x->data()); }, copy(total)}};
    bench.add_opencl(contest, [&](OpenCl& cl) {
        std::vector<std::shared_ptr<Floats>> sums{x};
        OpenClRun peer;
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
            sums.push_back(zeros<float>(sizes[i + 1]));
            peer.launches.push_back(cl.kernel(
                "reduce",
                {static_cast<std::uint32_t>(sizes[i]), host_memory(sums[i]), host_memory(sums[i + 1])},
                {sizes[i + 1] * 256, 1}, {256, 1}));
        }
        peer.result = copy(sums.back());
        return peer;
    });
    return contest;
}

// In place; the next run goes on with the sums of this one.
Contest scan(Bench& bench, std::size_t n) {
    const std::size_t groups = (n + 2047) / 2048;
    const auto start = share(Words(n)), mine = zeros<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i) (*start)[i] = static_cast<std::uint32_t>(i % 7);
    Buffer values = bench.buffer(*start);
    const std::vector<Argument> arguments{{"values", values},
                                          {"totals", must(bench.session.zeros<std::uint32_t>(groups))}};
    const Kernel kernel = bench.kernel("examples/scan/scan.wgsl");
    Contest contest{.work = 8e-9 * static_cast<double>(n), .unit = "GB/s"};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Workgroups{groups}); },
         read<std::uint32_t>(values),
         [=]() mutable { must(values.write(std::span<const std::uint32_t>(*start))); }},
        {"OpenMP", [=, &bench] { bench.cpp.scan(n, mine->data()); }, copy(mine), [=] { *mine = *start; }}};
    return contest;
}

Contest mandelbrot(Bench& bench, std::size_t size) {
    const auto width = static_cast<std::uint32_t>(size), height = width / 2, limit = 256u;
    const std::size_t n = std::size_t{width} * height;
    const auto mine = zeros<std::uint32_t>(n), vectors = zeros<std::uint32_t>(n);
    const Buffer steps = bench.buffer(*mine);
    const Kernel kernel =
        bench.kernel("examples/kernels/mandelbrot.wgsl",
                     {{"width", text(width)}, {"height", text(height)}, {"limit", text(limit)}});
    // Contraction changes single points at the border by many steps.
    Contest contest{
        .work = static_cast<double>(n) * 1e-6, .unit = "Mpoint/s", .tolerance = bench.tolerance(0, 1)};
    contest.contenders = {
        {"muster",
         [=, &bench] {
             bench.run(kernel, {{"steps", steps}}, Invocations{width, height});
         },
         read<std::uint32_t>(steps)},
        {"OpenMP", [=, &bench] { bench.cpp.mandelbrot(width, height, limit, mine->data()); }, copy(mine)}};
    if (bench.cpp.mandelbrot_by_hand != nullptr)
        contest.contenders.push_back(
            {bench.cpp.by_hand,
             [=, &bench] { bench.cpp.mandelbrot_by_hand(width, height, limit, vectors->data()); },
             copy(vectors)});
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<std::uint32_t>(n);
        return OpenClRun{
            {cl.kernel("mandelbrot", {width, height, limit, host_memory(theirs)}, {width, height}, {16, 16})},
            copy(theirs)};
    });
    return contest;
}

// `tile`: the side of the tile of c that a workgroup computes.
Contest matmul(Bench& bench, std::size_t size, const char* path, std::uint32_t tile) {
    const auto n = static_cast<std::uint32_t>(size);
    const auto a = share(random_floats(n * n, -1, 1)), b = share(random_floats(n * n, -1, 1));
    const auto mine = zeros<float>(n * n), blas = zeros<float>(n * n);
    const Buffer c = bench.buffer(*mine);
    const std::vector<Argument> arguments{
        {"sizes", std::array{n, n, n}}, {"a", bench.buffer(*a)}, {"b", bench.buffer(*b)}, {"c", c}};
    const Kernel kernel = bench.kernel(path);
    const std::uint64_t groups = (n + tile - 1) / tile;
    Contest contest{.work = 2e-9 * n * n * n, .unit = "GFLOP/s", .tolerance = 1e-4};
    contest.contenders = {
        {"muster",
         [=, &bench] {
             bench.run(kernel, arguments, Workgroups{groups, groups});
         },
         read<float>(c)},
        {"OpenMP", [=, &bench] { bench.cpp.matmul(n, a->data(), b->data(), mine->data()); }, copy(mine)}};
#ifdef MUSTER_BENCH_OPENBLAS
    const auto multiply = [=] {
        const auto size = static_cast<blasint>(n);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a->data(), size,
                    b->data(), size, 0, blas->data(), size);
    };
    contest.contenders.push_back({"OpenBLAS", multiply, copy(blas)});
#endif
    contest.contenders.push_back({"roof", [=, &bench] { bench.cpp.multiply_adds(1.0 * n * n * n); }, {}});
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<float>(n * n);
        return OpenClRun{
            {cl.kernel("matmul", {n, host_memory(a), host_memory(b), host_memory(theirs)}, {n, n}, {16, 16})},
            copy(theirs)};
    });
    return contest;
}
Contest matmul_as_written(Bench& bench, std::size_t n) {
    return matmul(bench, n, "examples/kernels/matmul.wgsl", 16);
}
Contest matmul_tiled(Bench& bench, std::size_t n) {
    return matmul(bench, n, "examples/kernels/matmul_tiled.wgsl", 64);
}

Contest matvec_packed(Bench& bench, std::size_t size) {
    const auto rows = static_cast<std::uint32_t>(size), words = 1024u;
    std::mt19937 random(1);
    Words matrix(std::size_t{rows} * words), x(words);
    for (std::uint32_t& word : matrix) word = static_cast<std::uint32_t>(random());
    for (std::uint32_t& word : x) word = static_cast<std::uint32_t>(random());
    const auto a = share(std::move(matrix)), b = share(std::move(x));
    const auto mine = zeros<std::int32_t>(rows);
    const Buffer y = bench.buffer(*mine);
    const std::vector<Argument> arguments{{"matrix", bench.buffer(*a)}, {"x", bench.buffer(*b)}, {"y", y}};
    const Kernel kernel = bench.kernel("benches/cpu/kernels/matvec_packed.wgsl", {{"words", text(words)}});
    Contest contest{.work = 4e-9 * rows * words, .unit = "Gproduct/s"};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Workgroups{rows}); }, read<std::int32_t>(y)}};
    if (bench.cpp.matvec_packed != nullptr)
        contest.contenders.push_back(
            {"intrinsics",
             [=, &bench] { bench.cpp.matvec_packed(rows, words, a->data(), b->data(), mine->data()); },
             copy(mine)});
    return contest;
}

Contest stencil(Bench& bench, std::size_t size) {
    const auto side = static_cast<std::uint32_t>(size);
    const std::size_t n = std::size_t{side} * side;
    const auto before = share(random_floats(n, 0, 1));
    const auto mine = zeros<float>(n);
    const Buffer after = bench.buffer(*mine);
    const std::vector<Argument> arguments{{"before", bench.buffer(*before)}, {"after", after}};
    const Kernel kernel =
        bench.kernel("measuring/whole_kernels/stencil.wgsl", {{"width", text(side)}, {"height", text(side)}});
    Contest contest{.work = 8e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {
        {"muster",
         [=, &bench] {
             bench.run(kernel, arguments, Invocations{side, side});
         },
         read<float>(after)},
        {"OpenMP", [=, &bench] { bench.cpp.stencil(side, side, before->data(), mine->data()); }, copy(mine)}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<float>(n);
        return OpenClRun{{cl.kernel("stencil", {side, side, host_memory(before), host_memory(theirs)},
                                    {side, side}, {64, 4})},
                         copy(theirs)};
    });
    return contest;
}

Contest histogram(Bench& bench, const Words& values) {
    const auto data = share(values);
    const auto words = static_cast<std::uint32_t>(values.size());
    const auto mine = zeros<std::uint32_t>(256);
    Buffer counts = bench.buffer(*mine);
    const std::vector<Argument> arguments{{"words", bench.buffer(*data)}, {"counts", counts}};
    const Kernel kernel = bench.kernel("examples/kernels/histogram.wgsl");
    constexpr std::uint32_t groups = 64;
    Contest contest{.work = 4e-9 * static_cast<double>(words), .unit = "Gvalue/s"};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Workgroups{groups}); },
         read<std::uint32_t>(counts),
         [=]() mutable { must(counts.write(std::span<const std::uint32_t>(Words(256)))); }},
        {"OpenMP", [=, &bench] { bench.cpp.histogram(words, data->data(), mine->data()); }, copy(mine)}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<std::uint32_t>(256);
        return OpenClRun{{cl.kernel("histogram", {words, host_memory(data), host_memory(theirs)},
                                    {groups * 256, 1}, {256, 1})},
                         copy(theirs),
                         [=] { std::ranges::fill(*theirs, 0u); }};
    });
    return contest;
}
Contest histogram_uniform(Bench& bench, std::size_t size) { return histogram(bench, random_words(size)); }
Contest histogram_equal(Bench& bench, std::size_t size) { return histogram(bench, Words(size, 0x2a2a2a2a)); }

Contest nbody(Bench& bench, std::size_t size) {
    const auto n = static_cast<std::uint32_t>(size);
    const float time_step = 0.01f, softening = 0.1f;
    const Floats place = random_floats(std::size_t{n} * 8, -1, 1);
    const auto before = zeros<Body>(n), mine = zeros<Body>(n);
    for (std::size_t i = 0; i < n; ++i)
        (*before)[i] = {{place[8 * i], place[8 * i + 1], place[8 * i + 2]}, 1 + place[8 * i + 3], {}, 0};
    const auto velocities = [](const std::vector<Body>& bodies) {
        Floats all;
        for (const Body& body : bodies) all.insert(all.end(), body.velocity, body.velocity + 3);
        return all;
    };
    const Buffer after = bench.buffer(*mine);
    const std::vector<Argument> arguments{
        {"settings", std::array{time_step, softening}}, {"before", bench.buffer(*before)}, {"after", after}};
    const Kernel kernel = bench.kernel("examples/kernels/nbody.wgsl");
    Contest contest{.work = 1e-9 * n * n, .unit = "Gpair/s", .tolerance = 1e-3};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Invocations{n}); },
         [=] { return velocities(must(after.read_all<Body>())); }},
        {"OpenMP", [=, &bench] { bench.cpp.nbody(n, time_step, softening, before->data(), mine->data()); },
         [=] { return velocities(*mine); }}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<Body>(n);
        return OpenClRun{
            {cl.kernel("nbody", {n, time_step, softening, host_memory(before), host_memory(theirs)}, {n, 1},
                       {64, 1})},
            [=] { return velocities(*theirs); }};
    });
    return contest;
}

Contest softmax(Bench& bench, std::size_t size) {
    const auto rows = static_cast<std::uint32_t>(size), columns = rows;
    const std::size_t n = std::size_t{rows} * columns;
    const auto before = share(random_floats(n, -8, 8));
    const auto mine = zeros<float>(n);
    const Buffer after = bench.buffer(*mine);
    const std::vector<Argument> arguments{{"before", bench.buffer(*before)}, {"after", after}};
    const Kernel kernel = bench.kernel("measuring/whole_kernels/softmax.wgsl", {{"columns", text(columns)}});
    Contest contest{
        .work = 1e-9 * static_cast<double>(n), .unit = "Gvalue/s", .tolerance = bench.tolerance(1e-4, 1e-3)};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Workgroups{rows}); }, read<float>(after)},
        {"OpenMP", [=, &bench] { bench.cpp.softmax(rows, columns, before->data(), mine->data()); },
         copy(mine)}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto theirs = zeros<float>(n);
        return OpenClRun{{cl.kernel("softmax", {columns, host_memory(before), host_memory(theirs)},
                                    {rows * std::size_t{256}, 1}, {256, 1})},
                         copy(theirs)};
    });
    return contest;
}

Contest black_scholes(Bench& bench, std::size_t size) {
    const auto n = static_cast<std::uint32_t>(size);
    const auto price = share(random_floats(n, 5, 30)), strike = share(random_floats(n, 1, 100)),
               years = share(random_floats(n, 0.25f, 10));
    const auto call = zeros<float>(n), put = zeros<float>(n);
    const Buffer call_buffer = bench.buffer(*call);
    const std::vector<Argument> arguments{{"price", bench.buffer(*price)},
                                          {"strike", bench.buffer(*strike)},
                                          {"years", bench.buffer(*years)},
                                          {"call", call_buffer},
                                          {"put", bench.buffer(*put)}};
    const Kernel kernel = bench.kernel("measuring/whole_kernels/black_scholes.wgsl");
    Contest contest{.work = 1e-9 * n, .unit = "Goption/s", .tolerance = bench.tolerance(1e-5, 1e-3)};
    contest.contenders = {
        {"muster", [=, &bench] { bench.run(kernel, arguments, Invocations{n}); }, read<float>(call_buffer)},
        {"OpenMP",
         [=, &bench] {
             bench.cpp.black_scholes(n, price->data(), strike->data(), years->data(), call->data(),
                                     put->data());
         },
         copy(call)}};
    bench.add_opencl(contest, [=](OpenCl& cl) {
        const auto their_call = zeros<float>(n), their_put = zeros<float>(n);
        return OpenClRun{{cl.kernel("black_scholes",
                                    {n, host_memory(price), host_memory(strike), host_memory(years),
                                     host_memory(their_call), host_memory(their_put)},
                                    {n, 1}, {256, 1})},
                         copy(their_call)};
    });
    return contest;
}

const std::vector<Goal> openmp_09{{{"OpenMP"}, 0.9}}, openmp_095{{{"OpenMP"}, 0.95}},
    openmp_097{{{"OpenMP"}, 0.97}}, f32_095{{{"f32"}, 0.95}}, intrinsics_08{{{"intrinsics"}, 0.8}},
    by_hand{{{"AVX2"}, 0.9}, {{"AVX-512"}, 0.8}};
constexpr std::size_t kilo = 1 << 10, mega = 1 << 20, giga = 1 << 30;
const Row all_rows[]{
    {"saxpy", 32 * mega, openmp_097, openmp_097, saxpy, {kilo, giga, 1, 44}},
    {"saxpy, f16", 32 * mega, f32_095, f32_095, saxpy_f16},
    {"sum", 32 * mega, openmp_095, openmp_095, sum, {kilo, giga, 1, 15}},
    {"scan", 32 * mega, {}, {}, scan, {kilo, giga, 1, 32}},
    {"mandelbrot", 2048, by_hand, by_hand, mandelbrot},
    {"sgemm, shared tiles", 1024, openmp_09, {{{"OpenMP"}, 0.9}, {{"pocl"}, 6}}, matmul_as_written},
    {"sgemm, register tiles",
     1024,
     {{{"OpenBLAS", "roof"}, 0.8}},
     {{{"OpenBLAS"}, 0.8}},
     matmul_tiled,
     {64, 4096, 3}},
    {"matrix x vector, packed bytes", 2048, intrinsics_08, intrinsics_08, matvec_packed},
    {"stencil", 8192, openmp_095, openmp_095, stencil},
    {"histogram, uniform", 8 * mega, openmp_09, openmp_09, histogram_uniform},
    {"histogram, all equal", 8 * mega, openmp_09, openmp_09, histogram_equal},
    {"n-body", 16384, openmp_095, openmp_095, nbody},
    {"softmax", 4096, openmp_095, openmp_095, softmax},
    {"black-scholes", 8 * mega, openmp_095, openmp_095, black_scholes},
    {"sparse matrix x vector", 400, openmp_09, openmp_09, spmv},
    {"attention", 32, {}, {}, attention},
    {"k-means", 1000, {}, {}, kmeans},
    {"radix sort", 400, {}, {}, radix_sort},
};

}  // namespace

std::span<const Row> rows() { return all_rows; }

}  // namespace muster::bench
