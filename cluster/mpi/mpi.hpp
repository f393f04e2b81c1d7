// mpi.hpp - the processes of an MPI job as a transport.
//
//     auto transport = muster::cluster::mpi_world();              // mpirun -n 4 app
//     auto session = muster::ClusterSession::open({.transport = *transport});
//
// This header needs no mpi.h: a program that links muster::cluster_openmpi or muster::cluster_mpich runs
// under that library's mpirun. MPI's errors are returned as muster's, with the name of the call. Threads: one
// at a time; MPI_THREAD_FUNNELED suffices.
#pragma once

#include <memory>

#include <muster/cluster/transport/transport.hpp>

namespace muster::cluster {

/// All processes of the job. Initialises MPI if nobody has, and then finalises it when all processes end
/// with 0. If one ends with 0 while another goes on, that one's next call is an error; one that ends
/// otherwise ends the job. Errors: unavailable, if MPI can't be initialised or has been finalised, or the
/// launcher is another library's.
Result<std::shared_ptr<Transport>> mpi_world();

/// The processes of a communicator, for programs that use MPI themselves:
/// mpi_processes(MPI_Comm_c2f(communicator)). Collective: it is duplicated, so that messages don't meet those
/// of the program. Let the transport end before MPI_Finalize.
Result<std::shared_ptr<Transport>> mpi_processes(int communicator);

}  // namespace muster::cluster
