// Rows of the whole kernels that tests run on every device (measuring/whole_kernels), here on
// large data and beside C++.
#include <muster/measuring/whole_kernels/data.hpp>

#include "bench.hpp"

namespace muster::bench {
namespace {

using kernels::Job;
using kernels::whole_kernel;

Job job_of(std::string_view name, std::size_t scale) {
    return whole_kernel(name).make({.scale = static_cast<std::uint32_t>(scale)});
}

Floats floats_of(const Words& words) {
    Floats floats;
    for (const std::uint32_t word : words) floats.push_back(std::bit_cast<float>(word));
    return floats;
}

/// An array of the job, of floats, for a peer.
std::shared_ptr<Floats> floats_in(const Job& job, const char* array) {
    return std::make_shared<Floats>(floats_of(job.arrays.at(array)));
}
std::shared_ptr<Words> words_in(const Job& job, const char* array) {
    return std::make_shared<Words>(job.arrays.at(array));
}

/// Our run, whose result is an array; a number, unless it is of floats.
Contender ours(Bench& bench, std::string_view name, const Job& job, std::string array,
               bool has_floats = true) {
    const auto loaded = std::make_shared<kernels::Loaded>(
        must(kernels::Loaded::load(bench.session, whole_kernel(name), job, {.precision = bench.precision})));
    return {"muster", [loaded] { must(loaded->run()); },
            [=] {
                const Words words = must(loaded->arrays()).at(array);
                return has_floats ? floats_of(words) : Floats(words.begin(), words.end());
            },
            [loaded] { must(loaded->reset()); }};
}

}  // namespace

Contest spmv(Bench& bench, std::size_t scale) {
    const Job job = job_of("spmv", scale);
    const auto first = words_in(job, "first"), columns = words_in(job, "columns");
    const auto elements = floats_in(job, "elements"), x = floats_in(job, "x"), y = floats_in(job, "y");
    Contest contest{
        .work = 1e-6 * static_cast<double>(elements->size()), .unit = "Melement/s", .tolerance = 1e-5};
    contest.contenders = {ours(bench, "spmv", job, "y"),
                          {"OpenMP",
                           [=, &bench] {
                               bench.cpp.spmv(y->size(), first->data(), columns->data(), elements->data(),
                                              x->data(), y->data());
                           },
                           [=] { return *y; }}};
    return contest;
}

Contest attention(Bench& bench, std::size_t scale) {
    const Job job = job_of("flash_attention", scale);
    constexpr std::size_t heads = 2, width = 64;
    const auto q = floats_in(job, "q"), k = floats_in(job, "k"), v = floats_in(job, "v"),
               out = floats_in(job, "attention");
    const std::size_t length = q->size() / heads / width;
    // A multiplication and an addition each for the scores and for the mean, of half of all pairs.
    Contest contest{.work = 2e-9 * static_cast<double>(heads * length * length * width),
                    .unit = "GFLOP/s",
                    .tolerance = 1e-3};
    contest.contenders = {
        ours(bench, "flash_attention", job, "attention"),
        {"OpenMP",
         [=, &bench] { bench.cpp.attention(heads, length, q->data(), k->data(), v->data(), out->data()); },
         [=] { return *out; }}};
    return contest;
}

Contest kmeans(Bench& bench, std::size_t scale) {
    const Job job = job_of("kmeans", scale);
    const auto points = floats_in(job, "points"), start = floats_in(job, "centres"),
               centres = floats_in(job, "centres");
    const std::size_t count = points->size() / 2, turns = job.steps.size() / 2;
    Contest contest{.work = 1e-6 * static_cast<double>(count * turns), .unit = "Mpoint/s", .tolerance = 1e-5};
    contest.contenders = {ours(bench, "kmeans", job, "centres"),
                          {"OpenMP",
                           [=, &bench] {
                               bench.cpp.kmeans(count, centres->size() / 2, turns, points->data(),
                                                centres->data());
                           },
                           [=] { return *centres; }, [=] { *centres = *start; }}};
    return contest;
}

Contest radix_sort(Bench& bench, std::size_t scale) {
    const Job job = job_of("radix_sort", scale);
    const auto keys = words_in(job, "keys"), payloads = words_in(job, "payloads"),
               sorted_keys = words_in(job, "keys"), sorted_payloads = words_in(job, "payloads");
    Contest contest{.work = 1e-6 * static_cast<double>(keys->size()), .unit = "Mkey/s"};
    contest.contenders = {ours(bench, "radix_sort", job, "sorted_payloads", false),
                          {"OpenMP",
                           [=, &bench] {
                               bench.cpp.radix_sort(keys->size(), keys->data(), payloads->data(),
                                                    sorted_keys->data(), sorted_payloads->data());
                           },
                           [=] { return Floats(sorted_payloads->begin(), sorted_payloads->end()); }}};
    return contest;
}

}  // namespace muster::bench
