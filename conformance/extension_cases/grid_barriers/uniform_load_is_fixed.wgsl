// A gridUniformLoad's result doesn't change if an invocation writes the word next, in the same phase.
// bind out = zeros i32 20
// bind word = i32 2
// workgroups 5
// expect out = i32 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191 191
// expect word = i32 -3
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> word: i32;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    var s = 0;
    loop {
        gridBarrier();
        let turn = gridUniformLoad(&word);
        if turn <= -3 { break; }
        if id.x == 11 { word = turn - 1; }
        s = s * 2 + turn + 5;
    }
    out[id.x] = s;
}
