// Prints its number among the processes of its MPI job, and the number of members of their cluster.
#include <iostream>

#include <muster/cluster.hpp>

int main() {
    const auto processes = muster::cluster::mpi_world();
    const auto cluster = muster::ClusterSession::open({.transport = processes.value()});
    std::cout << cluster.value().rank() << " of " << cluster.value().members().size() << "\n";
}
