// mpi_transport.hpp - an MPI communicator as a transport, for programs that use MPI themselves.
//
//     MPI_Init(&argc, &argv);
//     auto transport = muster::cluster::mpi_transport(MPI_COMM_WORLD);
//
// MPI's errors are returned as muster's, with the name of the call. Threads: one at a time; MPI_THREAD_FUNNELED suffices.
#pragma once

#include <memory>

#include <mpi.h>

#include <muster/cluster/transport/transport.hpp>

namespace muster::cluster {

/// Duplicates the communicator, so that messages don't meet those of the program: collective. The transport ends before
/// MPI_Finalize, or its duplicate is left to MPI.
Result<std::shared_ptr<Transport>> mpi_transport(MPI_Comm communicator);

}  // namespace muster::cluster
