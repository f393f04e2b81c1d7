// mpi_world.hpp - the processes of an MPI job as a transport.
//
//     auto transport = muster::cluster::mpi_world();              // mpirun -n 4 app
//     auto session = muster::ClusterSession::open({.transport = *transport});
//
// This header needs no mpi.h: a program that links muster::cluster_openmpi or muster::cluster_mpich runs under that library's mpirun. A
// program that uses MPI itself makes transports of its communicators instead (mpi_transport.hpp).
#pragma once

#include <memory>

#include <muster/cluster/transport/transport.hpp>

namespace muster::cluster {

/// All processes of the job. Initialises MPI if nobody has, and then finalises it when the process ends with 0; one that ends
/// otherwise ends the job. Errors: unavailable, if MPI can't be initialised or has been finalised.
Result<std::shared_ptr<Transport>> mpi_world();

}  // namespace muster::cluster
