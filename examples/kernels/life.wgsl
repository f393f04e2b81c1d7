// Conway's Game of Life: one generation on a torus, one cell per word.
override width: i32 = 64;
override height: i32 = 64;

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;

fn cell(x: i32, y: i32) -> u32 {
    let column = (x + width) % width;
    let row = (y + height) % height;
    return before[row * width + column];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i32(id.x);
    let y = i32(id.y);
    if x >= width || y >= height {
        return;
    }
    var neighbours = 0u;
    for (var dy = -1; dy <= 1; dy++) {
        for (var dx = -1; dx <= 1; dx++) {
            if dx != 0 || dy != 0 {
                neighbours += cell(x + dx, y + dy);
            }
        }
    }
    var alive = 0u;
    switch neighbours {
        case 3: {
            alive = 1;
        }
        case 2: {
            alive = cell(x, y);
        }
        default: {
        }
    }
    after[y * width + x] = alive;
}
