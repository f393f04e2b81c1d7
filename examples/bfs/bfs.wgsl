// Breadth-first search, level by level: each vertex's distance from `source` in edges; 4294967295 if it can't be reached.
// Vertex v has edges to targets[first[v]] up to targets[first[v + 1] - 1]. `deepest` becomes the greatest distance.
enable muster_grid_barrier;

@group(0) @binding(0) var<uniform> source: u32;
@group(0) @binding(1) var<storage, read> first: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> distances: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> deepest: atomic<u32>;

const unreached = 4294967295u;

@compute @workgroup_size(256)
fn bfs(@builtin(global_invocation_id) id: vec3u) {
    let vertex = id.x;
    if vertex >= arrayLength(&distances) {
        return;
    }
    atomicStore(&distances[vertex], select(unreached, 0, vertex == source));
    if vertex == 0 {
        atomicStore(&deepest, 0);
    }
    gridBarrier();
    for (var level = 0u; ; level++) {
        if atomicLoad(&distances[vertex]) == level {
            var found = false;
            for (var edge = first[vertex]; edge < first[vertex + 1]; edge++) {
                let target_vertex = targets[edge];
                if atomicLoad(&distances[target_vertex]) == unreached {
                    atomicStore(&distances[target_vertex], level + 1);
                    found = true;
                }
            }
            if found {
                atomicStore(&deepest, level + 1);
            }
        }
        gridBarrier();
        if gridUniformLoad(&deepest) == level {
            break;
        }
    }
}
