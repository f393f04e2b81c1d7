// shared.hpp - what the examples of clusters share: how they open one, read a kernel, and
// compare with a single device.
//
//     mpirun -n 4 example              // the devices that the processes choose
//     example cpu:0 vulkan:0           // two devices of this machine
//
// .value() throws if there is an error, which ends the job; a program that handles errors checks the result
// instead: every process gets the same one.
#pragma once

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <muster/cluster.hpp>
#include <muster/muster.hpp>

/// The processes of this job: those of MPI, if the program is linked with it
/// (processes_mpi.cpp), or this one alone.
std::shared_ptr<muster::cluster::Transport> processes();

/// A kernel of the folder examples.
inline muster::ValidProgram kernel_of(const std::string& file,
                                      std::vector<muster::wgsl::OverrideValue> overrides = {}) {
    std::ifstream stream(MUSTER_EXAMPLES "/" + file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return muster::validate(
               muster::wgsl::parse(text, {.file = file, .overrides = std::move(overrides)}).value())
        .value();
}

/// Runs `example` on the cluster, and in process 0 on one device, whose result must have the same
/// bits. Returns the exit code.
template <class Example>
int compare_with_one_device(int argc, char** argv, Example&& example) {
    const std::shared_ptr<muster::cluster::Transport> transport = processes();
    auto cluster =
        muster::ClusterSession::open({.transport = transport, .devices = {argv + 1, argv + argc}}).value();
    const auto result = example(cluster);
    if (cluster.rank() != 0) return 0;
    auto one_device = muster::ClusterSession::open().value();
    const bool is_same = result == example(one_device);
    std::cout << (is_same ? "the same bits" : "OTHER BITS") << " on " << cluster.members().size()
              << " members as on one device\n";
    return is_same ? 0 : 1;
}

/// Numbers that look random: 0 up to, without, 1.
inline std::vector<float> some_numbers(std::size_t count) {
    std::vector<float> numbers(count);
    std::uint32_t state = 1;
    for (float& number : numbers) {
        state = 1664525 * state + 1013904223;
        number = static_cast<float>(state >> 8) / 16777216.0f;
    }
    return numbers;
}
