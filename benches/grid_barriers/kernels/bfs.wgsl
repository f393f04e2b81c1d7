// Entry points behind the text of examples/bfs/bfs.wgsl, for its start and one level: the host counts levels, and looks
// whether any vertex was found.
@group(0) @binding(5) var<uniform> level: u32;

@compute @workgroup_size(256)
fn start(@builtin(global_invocation_id) id: vec3u) {
    let vertex = id.x;
    if vertex >= arrayLength(&distances) {
        return;
    }
    atomicStore(&distances[vertex], select(unreached, 0, vertex == source));
    if vertex == 0 {
        atomicStore(&deepest, 0);
    }
}

@compute @workgroup_size(256)
fn visit(@builtin(global_invocation_id) id: vec3u) {
    let vertex = id.x;
    if vertex >= arrayLength(&distances) || atomicLoad(&distances[vertex]) != level {
        return;
    }
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
