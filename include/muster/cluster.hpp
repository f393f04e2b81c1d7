// cluster.hpp - one dispatch over several devices or MPI processes: muster::cluster.
//
//     #include <muster/cluster.hpp>
//     auto cluster = muster::ClusterSession::open({.devices = {"cpu:0", "vulkan:0"}});       // of this machine
//     auto cluster = muster::ClusterSession::open({.transport = *muster::cluster::mpi_world()});  // mpirun -n 4 app
//
// docs/cluster.md is the guide. Programs that run under MPI link muster::cluster_openmpi or
// muster::cluster_mpich, too.
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/cluster/mpi/mpi.hpp>
#include <muster/cluster/transport/transport.hpp>
