// European options by Black and Scholes; the normal distribution by Abramowitz and Stegun 26.2.17.
const rate = 0.02;
const volatility = 0.30;

@group(0) @binding(0) var<storage, read> price: array<f32>;
@group(0) @binding(1) var<storage, read> strike: array<f32>;
@group(0) @binding(2) var<storage, read> years: array<f32>;
@group(0) @binding(3) var<storage, read_write> call: array<f32>;
@group(0) @binding(4) var<storage, read_write> put: array<f32>;

fn normal(d: f32) -> f32 {
    let k = 1 / (1 + 0.2316419 * abs(d));
    let series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let tail = 0.39894228 * exp(-0.5 * d * d) * series;
    return select(tail, 1 - tail, d > 0);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i >= arrayLength(&price) {
        return;
    }
    let spread = volatility * sqrt(years[i]);
    let d1 = (log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread;
    let d2 = d1 - spread;
    let discounted = strike[i] * exp(-rate * years[i]);
    let n1 = normal(d1);
    let n2 = normal(d2);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - price[i] * (1 - n1);
}
