// MUSTER_PEERS is the name of the table that this build defines: exact_peers or fast_peers.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#else  // bench_aarch64 reads the code of one thread
static int omp_get_max_threads() { return 1; }
static int omp_get_num_threads() { return 1; }
static int omp_get_thread_num() { return 0; }
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#endif

#include "peers.hpp"

namespace muster::bench {
namespace {

void saxpy(std::size_t n, float a, const float* x, float* y) {
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

float sum(std::size_t n, const float* x) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (std::size_t i = 0; i < n; ++i) total += x[i];
    return total;
}

// Each thread sums its part, then goes through it again with the sum of those before it.
void scan(std::size_t n, std::uint32_t* values) {
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num()),
                   threads = static_cast<std::size_t>(omp_get_num_threads());
        const std::size_t first = n * thread / threads, last = n * (thread + 1) / threads;
        std::uint32_t sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += values[i];
        sums[thread] = sum;
#pragma omp barrier
        sum = 0;
        for (std::size_t i = 0; i < thread; ++i) sum += sums[i];
        for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t next = values[i];
            values[i] = sum;
            sum += next;
        }
    }
}

constexpr float left = -2.0f, right = 0.5f, lower = -1.25f, upper = 1.25f;

float mix(float a, float b, float t) { return a * (1 - t) + b * t; }

void mandelbrot(std::uint32_t width, std::uint32_t height, std::uint32_t limit, std::uint32_t* steps) {
#pragma omp parallel for schedule(dynamic, 8)
    for (std::uint32_t row = 0; row < height; ++row)
        for (std::uint32_t column = 0; column < width; ++column) {
            const float cx =
                mix(left, right, (static_cast<float>(column) + 0.5f) / static_cast<float>(width));
            const float cy = mix(lower, upper, (static_cast<float>(row) + 0.5f) / static_cast<float>(height));
            float x = 0, y = 0;
            std::uint32_t i = 0;
            for (; i < limit && !(x * x + y * y > 4); ++i) {
                const float next = (x * x - y * y) + cx;
                y = 2 * x * y + cy;
                x = next;
            }
            steps[std::size_t{row} * width + column] = i;
        }
}

#if defined(__AVX512F__)
constexpr const char* by_hand = "AVX-512";
constexpr bool fuses = MUSTER_PEERS_FAST;

__m512 mul_add(__m512 a, __m512 b, __m512 c) {
    return fuses ? _mm512_fmadd_ps(a, b, c) : _mm512_add_ps(_mm512_mul_ps(a, b), c);
}
__m512 mul_sub(__m512 a, __m512 b, __m512 c) {
    return fuses ? _mm512_fmsub_ps(a, b, c) : _mm512_sub_ps(_mm512_mul_ps(a, b), c);
}

// 16 points of a row at once, until all have escaped or reached the limit.
__m512i escape_steps(__m512 cx, __m512 cy, std::uint32_t limit) {
    __m512 x = _mm512_setzero_ps(), y = x;
    __m512i steps = _mm512_setzero_si512();
    const __m512 four = _mm512_set1_ps(4);
    __mmask16 inside = 0xffff;  // escaped points stay out
    for (std::uint32_t i = 0; i < limit; ++i) {
        const __m512 yy = _mm512_mul_ps(y, y);
        inside = _mm512_mask_cmp_ps_mask(inside, mul_add(x, x, yy), four, _CMP_NGT_UQ);
        if (inside == 0) break;
        steps = _mm512_mask_add_epi32(steps, inside, steps, _mm512_set1_epi32(1));
        const __m512 xy = _mm512_mul_ps(_mm512_add_ps(x, x), y);
        x = _mm512_add_ps(mul_sub(x, x, yy), cx);
        y = _mm512_add_ps(xy, cy);
    }
    return steps;
}

void mandelbrot_by_hand(std::uint32_t width, std::uint32_t height, std::uint32_t limit,
                        std::uint32_t* steps) {
    const __m512 lanes = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#pragma omp parallel for schedule(dynamic, 8)
    for (std::uint32_t row = 0; row < height; ++row) {
        const float cy = mix(lower, upper, (static_cast<float>(row) + 0.5f) / static_cast<float>(height));
        for (std::uint32_t column = 0; column < width; column += 16) {
            const __m512 center = _mm512_add_ps(lanes, _mm512_set1_ps(static_cast<float>(column) + 0.5f));
            const __m512 t = _mm512_div_ps(center, _mm512_set1_ps(static_cast<float>(width)));
            const __m512 cx =
                _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(left), _mm512_sub_ps(_mm512_set1_ps(1), t)),
                              _mm512_mul_ps(_mm512_set1_ps(right), t));
            const auto inside = static_cast<__mmask16>((1u << std::min(16u, width - column)) - 1);
            _mm512_mask_storeu_epi32(steps + std::size_t{row} * width + column, inside,
                                     escape_steps(cx, _mm512_set1_ps(cy), limit));
        }
    }
}
#elif defined(__AVX2__)
constexpr const char* by_hand = "AVX2";
constexpr bool fuses = MUSTER_PEERS_FAST;

__m256 mul_add(__m256 a, __m256 b, __m256 c) {
    return fuses ? _mm256_fmadd_ps(a, b, c) : _mm256_add_ps(_mm256_mul_ps(a, b), c);
}
__m256 mul_sub(__m256 a, __m256 b, __m256 c) {
    return fuses ? _mm256_fmsub_ps(a, b, c) : _mm256_sub_ps(_mm256_mul_ps(a, b), c);
}

// A block of 8 columns and 4 rows until all its points have escaped or reached the limit: the steps of a
// row's points don't depend on those of another's, so the rows' run side by side. A point that has escaped
// goes on to infinity, and from there to NaN: neither is less than 4.
constexpr std::uint32_t side_by_side = 4;

void escape_steps(__m256 cx, const __m256* cy, std::uint32_t limit, __m256i* steps) {
    __m256 x[side_by_side]{}, y[side_by_side]{};
    const __m256 four = _mm256_set1_ps(4);
    __m256 inside = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (std::uint32_t i = 0; i < limit && _mm256_movemask_ps(inside) != 0; ++i) {
        inside = _mm256_setzero_ps();
#pragma GCC unroll 4
        for (std::uint32_t row = 0; row < side_by_side; ++row) {
            const __m256 yy = _mm256_mul_ps(y[row], y[row]);
            const __m256 less = _mm256_cmp_ps(mul_add(x[row], x[row], yy), four, _CMP_LE_OQ);
            steps[row] = _mm256_sub_epi32(steps[row], _mm256_castps_si256(less));
            inside = _mm256_or_ps(inside, less);
            const __m256 twice = _mm256_add_ps(x[row], x[row]);
            x[row] = _mm256_add_ps(mul_sub(x[row], x[row], yy), cx);
            y[row] = mul_add(twice, y[row], cy[row]);
        }
    }
}

void mandelbrot_by_hand(std::uint32_t width, std::uint32_t height, std::uint32_t limit,
                        std::uint32_t* steps) {
    const __m256 lanes = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
#pragma omp parallel for schedule(dynamic, 2)
    for (std::uint32_t first = 0; first < height; first += side_by_side) {
        __m256 cy[side_by_side];
        for (std::uint32_t i = 0; i < side_by_side; ++i)
            cy[i] = _mm256_set1_ps(
                mix(lower, upper, (static_cast<float>(first + i) + 0.5f) / static_cast<float>(height)));
        for (std::uint32_t column = 0; column < width; column += 8) {
            const __m256 center = _mm256_add_ps(lanes, _mm256_set1_ps(static_cast<float>(column) + 0.5f));
            const __m256 t = _mm256_div_ps(center, _mm256_set1_ps(static_cast<float>(width)));
            const __m256 cx =
                _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(left), _mm256_sub_ps(_mm256_set1_ps(1), t)),
                              _mm256_mul_ps(_mm256_set1_ps(right), t));
            __m256i counts[side_by_side]{};
            escape_steps(cx, cy, limit, counts);
            const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(width - column)),
                                                      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            for (std::uint32_t i = 0; i < std::min(side_by_side, height - first); ++i)
                _mm256_maskstore_epi32(
                    reinterpret_cast<int*>(steps + std::size_t{first + i} * width + column), inside,
                    counts[i]);
        }
    }
}
#else
constexpr const char* by_hand = "by hand";
constexpr decltype(Peers::mandelbrot_by_hand) mandelbrot_by_hand = nullptr;
#endif

void matmul(std::size_t n, const float* a, const float* b, float* c) {
#pragma omp parallel for
    for (std::size_t row = 0; row < n; ++row) {
        float* out = c + row * n;
        std::fill_n(out, n, 0.0f);
        for (std::size_t k = 0; k < n; ++k) {
            const float x = a[row * n + k];
#pragma omp simd
            for (std::size_t column = 0; column < n; ++column) out[column] += x * b[k * n + column];
        }
    }
}

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

// Twelve chains hide the latency of a multiplication and an addition. Threads share the count. The result is
// there so that no chain is left out.
float multiply_adds(double count) {
    using Vector [[gnu::vector_size(vector_bytes)]] = float;
    constexpr std::size_t chains = 12, lanes = vector_bytes / sizeof(float);
    float total = 0;
#pragma omp parallel reduction(+ : total)
    {
        const auto turns = static_cast<std::size_t>(count / (chains * lanes) / omp_get_num_threads());
        const Vector half = Vector{} + 0.5f, third = Vector{} + 0.33f;
        Vector sums[chains];
        for (std::size_t i = 0; i < chains; ++i) sums[i] = Vector{} + static_cast<float>(i);
        for (std::size_t i = 0; i < turns; ++i)
#pragma GCC unroll 12
            for (Vector& sum : sums) sum = sum * half + third;
        for (const Vector& sum : sums) total += sum[0];
    }
    return total;
}

void stencil(std::size_t width, std::size_t height, const float* before, float* after) {
#pragma omp parallel for
    for (std::size_t row = 1; row < height - 1; ++row) {
        const float* from = before + row * width;
        float* to = after + row * width;
#pragma omp simd
        for (std::size_t i = 1; i < width - 1; ++i)
            to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + (from - width)[i] + from[i + width]);
    }
}

void histogram(std::size_t words, const std::uint32_t* data, std::uint32_t* counts) {
    std::fill_n(counts, 256, 0u);
#pragma omp parallel
    {
        std::array<std::uint32_t, 256> mine{};
#pragma omp for nowait
        for (std::size_t i = 0; i < words; ++i)
            for (std::uint32_t byte = 0; byte < 4; ++byte) ++mine[(data[i] >> (8 * byte)) & 255];
        for (std::size_t bin = 0; bin < 256; ++bin)
#pragma omp atomic
            counts[bin] += mine[bin];
    }
}

// The attracting bodies are first laid out by component, so that the inner loop can be vectorised.
void nbody(std::size_t n, float time_step, float softening, const Body* before, Body* after) {
    const std::unique_ptr<float[]> values(new float[4 * n]);
    float *const px = values.get(), *const py = px + n, *const pz = py + n, *const mass = pz + n;
    for (std::size_t i = 0; i < n; ++i) {
        px[i] = before[i].position[0], py[i] = before[i].position[1], pz[i] = before[i].position[2];
        mass[i] = before[i].mass;
    }
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
        float ax = 0, ay = 0, az = 0;
        const float x = px[i], y = py[i], z = pz[i];
#pragma omp simd reduction(+ : ax, ay, az)
        for (std::size_t k = 0; k < n; ++k) {  // a body doesn't attract itself: its distance is 0
            const float dx = px[k] - x, dy = py[k] - y, dz = pz[k] - z;
            const float squared = dx * dx + dy * dy + dz * dz + softening * softening;
            const float pull = mass[k] / (squared * std::sqrt(squared));
            ax += dx * pull, ay += dy * pull, az += dz * pull;
        }
        Body body = before[i];
        const float acceleration[]{ax, ay, az};
        for (int axis = 0; axis < 3; ++axis) {
            body.velocity[axis] += acceleration[axis] * time_step;
            body.position[axis] += body.velocity[axis] * time_step;
        }
        after[i] = body;
    }
}

void softmax(std::size_t rows, std::size_t columns, const float* before, float* after) {
#pragma omp parallel for
    for (std::size_t row = 0; row < rows; ++row) {
        const float* from = before + row * columns;
        float* to = after + row * columns;
        float greatest = from[0], total = 0;
#pragma omp simd reduction(max : greatest)
        for (std::size_t i = 0; i < columns; ++i) greatest = std::max(greatest, from[i]);
#pragma omp simd reduction(+ : total)
        for (std::size_t i = 0; i < columns; ++i) total += to[i] = std::exp(from[i] - greatest);
        const float scale = 1 / total;
#pragma omp simd
        for (std::size_t i = 0; i < columns; ++i) to[i] *= scale;
    }
}

inline float normal(float d) {
    const float k = 1 / (1 + 0.2316419f * std::fabs(d));
    const float series =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * std::exp(-0.5f * d * d) * series;
    return d > 0 ? 1 - tail : tail;
}

void black_scholes(std::size_t n, const float* price, const float* strike, const float* years, float* call,
                   float* put) {
    constexpr float rate = 0.02f, volatility = 0.30f;
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i) {
        const float spread = volatility * std::sqrt(years[i]);
        const float d1 =
            (std::log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
        const float discounted = strike[i] * std::exp(-rate * years[i]);
        const float n1 = normal(d1), n2 = normal(d1 - spread);
        call[i] = price[i] * n1 - discounted * n2;
        put[i] = discounted * (1 - n2) - price[i] * (1 - n1);
    }
}

void spmv(std::size_t rows, const std::uint32_t* first, const std::uint32_t* columns, const float* elements,
          const float* x, float* y) {
#pragma omp parallel for
    for (std::size_t row = 0; row < rows; ++row) {
        float sum = 0;
        for (std::uint32_t i = first[row]; i < first[row + 1]; ++i) sum += elements[i] * x[columns[i]];
        y[row] = sum;
    }
}

void attention(std::size_t heads, std::size_t length, const float* q, const float* k, const float* v,
               float* out) {
    constexpr std::size_t width = 64;
#pragma omp parallel
    {
        std::vector<float> weights(length);
#pragma omp for schedule(dynamic, 16)
        for (std::size_t query = 0; query < heads * length; ++query) {
            const std::size_t first = query - query % length, keys = query - first + 1;
            float greatest = -INFINITY, sum = 0;
            for (std::size_t key = 0; key < keys; ++key) {
                float score = 0;
#pragma omp simd reduction(+ : score)
                for (std::size_t i = 0; i < width; ++i)
                    score += q[query * width + i] * k[(first + key) * width + i];
                weights[key] = score * 0.125f;
                greatest = std::max(greatest, weights[key]);
            }
#pragma omp simd reduction(+ : sum)
            for (std::size_t key = 0; key < keys; ++key)
                sum += weights[key] = std::exp(weights[key] - greatest);
            std::array<float, width> mean{};
            for (std::size_t key = 0; key < keys; ++key)
#pragma omp simd
                for (std::size_t i = 0; i < width; ++i)
                    mean[i] += weights[key] * v[(first + key) * width + i];
            for (std::size_t i = 0; i < width; ++i) out[query * width + i] = mean[i] / sum;
        }
    }
}

void kmeans(std::size_t count, std::size_t centre_count, std::size_t turns, const float* points,
            float* centres) {
    struct Sum {
        double x = 0, y = 0;
        std::size_t points = 0;
    };
    for (std::size_t turn = 0; turn < turns; ++turn) {
        std::vector<Sum> sums(centre_count);
#pragma omp parallel
        {
            std::vector<Sum> mine(centre_count);
#pragma omp for nowait
            for (std::size_t i = 0; i < count; ++i) {
                const float x = points[2 * i], y = points[2 * i + 1];
                std::size_t nearest = 0;
                float least = INFINITY;
                for (std::size_t c = 0; c < centre_count; ++c) {
                    const float dx = centres[2 * c] - x, dy = centres[2 * c + 1] - y;
                    const float squared = dx * dx + dy * dy;
                    if (squared < least) least = squared, nearest = c;
                }
                mine[nearest].x += x, mine[nearest].y += y, ++mine[nearest].points;
            }
#pragma omp critical
            for (std::size_t c = 0; c < centre_count; ++c)
                sums[c].x += mine[c].x, sums[c].y += mine[c].y, sums[c].points += mine[c].points;
        }
        for (std::size_t c = 0; c < centre_count; ++c) {
            if (sums[c].points == 0) continue;
            centres[2 * c] = static_cast<float>(sums[c].x / static_cast<double>(sums[c].points));
            centres[2 * c + 1] = static_cast<float>(sums[c].y / static_cast<double>(sums[c].points));
        }
    }
}

// By eight bits at a time, to and fro: each thread counts the digits of its part, then puts them behind those
// of the threads before it.
void radix_sort(std::size_t count, const std::uint32_t* keys, const std::uint32_t* payloads,
                std::uint32_t* sorted_keys, std::uint32_t* sorted_payloads) {
    const std::unique_ptr<std::uint32_t[]> spare(new std::uint32_t[2 * count]);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    std::vector<std::array<std::size_t, 256>> places(threads);
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
        const bool to_spare = shift % 16 == 0;
        std::uint32_t* const to_keys = to_spare ? spare.get() : sorted_keys;
        std::uint32_t* const to_payloads = to_spare ? spare.get() + count : sorted_payloads;
#pragma omp parallel num_threads(threads)
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            const std::size_t first = count * thread / threads, last = count * (thread + 1) / threads;
            std::array<std::size_t, 256>& mine = places[thread];
            mine.fill(0);
            for (std::size_t i = first; i < last; ++i) ++mine[keys[i] >> shift & 255];
#pragma omp barrier
#pragma omp single
            for (std::size_t digit = 0, sum = 0; digit < 256; ++digit)
                for (std::array<std::size_t, 256>& of : places) {
                    const std::size_t own = of[digit];
                    of[digit] = sum;
                    sum += own;
                }
            for (std::size_t i = first; i < last; ++i) {
                const std::size_t to = mine[keys[i] >> shift & 255]++;
                to_keys[to] = keys[i];
                to_payloads[to] = payloads[i];
            }
        }
        keys = to_keys, payloads = to_payloads;
    }
}

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
// The instruction takes unsigned bytes on the left: 128 is added to the matrix's, and taken from the sum.
std::int32_t product_of_bytes(const std::uint32_t* a, const std::uint32_t* b, std::size_t words) {
    const __m512i flipped = _mm512_set1_epi8(-128);
    __m512i sum = _mm512_setzero_si512(), added = sum;
    for (std::size_t i = 0; i < words; i += 16) {
        const __m512i x = _mm512_loadu_si512(a + i), y = _mm512_loadu_si512(b + i);
        sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(x, flipped), y);
        added = _mm512_dpbusd_epi32(added, flipped, y);
    }
    return _mm512_reduce_add_epi32(_mm512_sub_epi32(sum, added));
}
#elif defined(__AVX2__)
std::int32_t product_of_bytes(const std::uint32_t* a, const std::uint32_t* b, std::size_t words) {
    __m256i sums[2] = {};
    for (std::size_t i = 0; i < words; i += 8)
        for (std::size_t half = 0; half < 2; ++half) {
            const auto widened = [&](const std::uint32_t* from) {
                return _mm256_cvtepi8_epi16(
                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + 4 * half)));
            };
            sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(widened(a), widened(b)));
        }
    std::int32_t all[8], total = 0;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(all), _mm256_add_epi32(sums[0], sums[1]));
    for (const std::int32_t one : all) total += one;
    return total;
}
#elif defined(__ARM_FEATURE_DOTPROD)
std::int32_t product_of_bytes(const std::uint32_t* a, const std::uint32_t* b, std::size_t words) {
    int32x4_t sums[2] = {};
    for (std::size_t i = 0; i < words; i += 8)
        for (std::size_t half = 0; half < 2; ++half)
            sums[half] = vdotq_s32(sums[half], vreinterpretq_s8_u32(vld1q_u32(a + i + 4 * half)),
                                   vreinterpretq_s8_u32(vld1q_u32(b + i + 4 * half)));
    return vaddvq_s32(vaddq_s32(sums[0], sums[1]));
}
#endif

#if defined(__AVX2__) || defined(__ARM_FEATURE_DOTPROD)
void some_matvec_packed(std::size_t rows, std::size_t words, const std::uint32_t* matrix,
                        const std::uint32_t* x, std::int32_t* y) {
#pragma omp parallel for
    for (std::size_t row = 0; row < rows; ++row) y[row] = product_of_bytes(matrix + row * words, x, words);
}
constexpr auto* matvec_packed = some_matvec_packed;
#else
constexpr decltype(Peers::matvec_packed) matvec_packed = nullptr;
#endif

}  // namespace

const Peers MUSTER_PEERS{saxpy,   sum,           scan,          mandelbrot, by_hand,   mandelbrot_by_hand,
                         matmul,  multiply_adds, matvec_packed, stencil,    histogram, nbody,
                         softmax, black_scholes, spmv,          attention,  kmeans,    radix_sort};

}  // namespace muster::bench
