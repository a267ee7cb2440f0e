// Closed loops of many DFSTs, each held against the expert's table, action by action.
//
//     h ← A[x] h      symbol = argmax B[x] h      motion = argmax C[x] h
//
// A run ends at its first difference from the expert, so up to there the expert's table says what stands on the grid,
// and the symbol of the next step is known before the scores of this one: the product is all that a step waits for.
// Product threads, one a row of W = [A; B; C], make h and the scores of step i while a clerk, one warp a rollout,
// judges the scores of step i - 1 and walks the table to the symbol of step i + 1. What the clerk walked before its
// verdict (one step) is undone if the verdict is a difference. It looks at the grid through a window in shared memory.
//
// Every sum runs over j in order with one rounding an operation, so each entry has the bits of the CPU's.
//
// Like there, h is multiplied by a power of two before it over- or underflows (`rescaled` in transducer.py), once after
// each step. It lies in shared memory as its step made it, and whoever reads it multiplies by the same factor: the
// product, the norm, and what is stored at the end of a launch. Hence what a launch begins with, h0 or what was stored,
// is taken as it is (step 0), even where one factor was not enough: after the next step the CPU goes on from there too.
//
// A cluster of C blocks keeps W of one model in shared memory, RC rows a block, and works on Q rollouts; every block
// has all of h, sent to it by asynchronous stores that count down a barrier, as in recur.cu. All warps arrive at
// that barrier too, so that nobody falls two steps behind. Without room for W (STAGED = 0) one block reads it through
// the caches.
//
// Compile-time, as macros: DFST_REAL, DFST_WIDE (1: 64 bits), DFST_SYMBOLS, DFST_MOTIONS, DFST_DIM, DFST_C, DFST_RC,
// DFST_Q, DFST_STAGED, DFST_RULES (rules kept in shared memory; 0 if they are too many), DFST_NEAR, DFST_FAR (as in
// transducer.py).

#include "cluster.cuh"

typedef long long s64;
typedef DFST_REAL real;

constexpr int SYMBOLS = DFST_SYMBOLS, MOTIONS = DFST_MOTIONS, DIM = DFST_DIM, C = DFST_C, RC = DFST_RC, Q = DFST_Q;
constexpr bool STAGED = DFST_STAGED;
constexpr int RULES = DFST_RULES;
constexpr real NEAR = DFST_NEAR, FAR = DFST_FAR;
constexpr int ROWS = DIM + SYMBOLS + MOTIONS;
constexpr int V = (ROWS + 3) / 4 * 4;                // from one rollout's values to the next
constexpr int WORKERS = (Q * RC + 31) / 32 * 32;     // threads that multiply
constexpr int CLERKS = (Q + C - 1) / C;
constexpr int WARPS = WORKERS / 32 + CLERKS;
constexpr int WIDE = 64, HIGH = 32;                  // of a window
static_assert(Q <= 32 && MOTIONS <= 8, "");

constexpr u32 NOTHING = 255;                         // as a symbol read: this rollout rests; on the grid: its rim
constexpr int HALT_MOTION = 4, HALTS = -1, MISSING = -2;
enum { RUNNING, HALTED, DIFFERS, NOT_FINITE, LEFT_THE_BOX };

struct Place {                                       // where a rollout stands, between launches
    s64 x, y;                                        // of the head, in its box
    s64 steps;
    s64 state;                                       // of the expert
    s64 status;
    s64 symbol, motion;                              // the action that differs
    double margin, norm;                             // the smallest lead, and the norm of the h that decided there
};

// A rule as an onlooker sees it: next state + 2, motion, symbol.
struct Rule {
    u32 word;
    __device__ __forceinline__ int next() const { return (int)(word >> 11) - 2; }
    __device__ __forceinline__ int motion() const { return word >> 8 & 7; }
    __device__ __forceinline__ u32 symbol() const { return word & 255; }
};

#if DFST_WIDE
typedef double2 several;
__device__ __forceinline__ real multiply(real a, real b) { return __dmul_rn(a, b); }
__device__ __forceinline__ real add(real a, real b) { return __dadd_rn(a, b); }
__device__ __forceinline__ u64 bits_of(real a) { return __double_as_longlong(a); }
#else
typedef float4 several;
__device__ __forceinline__ real multiply(real a, real b) { return __fmul_rn(a, b); }
__device__ __forceinline__ real add(real a, real b) { return __fadd_rn(a, b); }
__device__ __forceinline__ u32 bits_of(real a) { return __float_as_uint(a); }
#endif
constexpr int SEVERAL = sizeof(several) / sizeof(real);

__device__ __forceinline__ real infinity() { return (real)__longlong_as_double(0x7ff0000000000000ll); }

// To the same place in the shared memory of every block of the cluster.
__device__ __forceinline__ void tell_all(real* to, real value, u32 barrier) {
    if constexpr (C == 1) {
        *to = value;
    } else {
#pragma unroll
        for (int block = 0; block < C; block++)
            send(remote(address(to), block), bits_of(value), remote(barrier, block));
    }
}

__device__ __forceinline__ void tell_all(u32* to, u32 value, u32 barrier) {
    if constexpr (C == 1) {
        *to = value;
    } else {
#pragma unroll
        for (int block = 0; block < C; block++) send(remote(address(to), block), value, remote(barrier, block));
    }
}

// One row of W[x] times h; consecutive rows lie side by side, consecutive j STEP apart.
template <int STEP> __device__ __forceinline__ real row_times(const real* __restrict__ w, const real* h) {
    real sum = 0;
#pragma unroll 4
    for (int j = 0; j + SEVERAL <= DIM; j += SEVERAL) {
        const several some = *(const several*)(h + j);
#pragma unroll
        for (int i = 0; i < SEVERAL; i++) sum = add(sum, multiply(w[(j + i) * STEP], ((const real*)&some)[i]));
    }
#pragma unroll
    for (int j = DIM / SEVERAL * SEVERAL; j < DIM; j++) sum = add(sum, multiply(w[j * STEP], h[j]));
    return sum;
}

// Whether the first component of h keeps h as it is, as it nearly always does.
__device__ __forceinline__ bool is_near(const real* h) { return 1 / NEAR <= fabs(h[0]) && fabs(h[0]) < NEAR; }

// What h is multiplied by, as `rescaled` in transducer.py finds it.
__device__ __noinline__ real factor(const real* h) {
    if (is_near(h)) return 1;
    real largest = 0;
    bool numbers = true;
    for (int j = 0; j < DIM; j++) {
        const real size = fabs(h[j]);
        numbers = numbers && size == size;
        largest = max(largest, size);
    }
    if (!numbers) return 1;
    return largest >= FAR ? 1 / FAR : 0 < largest && largest < 1 / FAR ? FAR : 1;
}

// One row of W[x] times h rescaled; `sum`, the product with h as it is, if h stays so.
template <int STEP> __device__ __noinline__ real row_times_rescaled(const real* w, const real* h, real sum) {
    const real by = factor(h);
    if (by == 1) return sum;
    sum = 0;
    for (int j = 0; j < DIM; j++) sum = add(sum, multiply(w[j * STEP], multiply(h[j], by)));
    return sum;
}

// The norm of h times a factor, summed as on the CPU; every lane for itself.
__device__ __noinline__ double norm(const real* h, real by) {
    double squares = 0;
    for (int j = 0; j < DIM; j++) {
        const double part = multiply(h[j], by);
        squares = __dadd_rn(squares, __dmul_rn(part, part));
    }
    return __dsqrt_rn(squares);
}

struct Decision {
    int best;
    real lead;
    bool finite;
};

// The first best of n scores and its lead over the second, as the CPU finds them; every lane for itself.
__device__ __noinline__ Decision decide(const real* scores, int n) {
    Decision found = {0, infinity(), scores[0] - scores[0] == 0};
    for (int i = 1; i < n; i++) {
        const real gap = scores[i] - scores[found.best];
        found.finite = found.finite && gap - gap == 0;
        if (gap > 0) found.best = i, found.lead = gap;
        else found.lead = min(found.lead, -gap);
    }
    return found;
}

// Whether this lane's share of n scores leaves `wanted` the first best, all gaps finite; and by how much.
__device__ __forceinline__ bool agrees(const real* scores, int n, int wanted, real& lead) {
    bool good = wanted < n;
    const real best = scores[good ? wanted : 0];
    for (int i = threadIdx.x % 32; i < n; i += 32) {
        const real gap = best - scores[i];
        good = good && gap - gap == 0 && (i < wanted ? gap > 0 : gap >= 0);
        if (i != wanted) lead = min(lead, gap);
    }
    return good;
}

// The cells around a head.
struct Window {
    u8 (*cells)[WIDE];                               // (HIGH, WIDE), in shared memory
    u8* box;                                         // (height, pitch), in device memory
    int pitch, height, x0, y0;

    __device__ __forceinline__ bool holds(int x, int y) const {
        return (u32)(x - x0) < WIDE && (u32)(y - y0) < HIGH;
    }
    __device__ __forceinline__ u8& at(int x, int y) const { return cells[y - y0][x - x0]; }

    // A lane a row, sixteen bytes at a time: what `look` brings is at least sixteen moves from its edge.
    __device__ __noinline__ void look(int x, int y) {
        x0 = max(0, min((x - WIDE / 2) & ~15, pitch - WIDE));
        y0 = max(0, min(y - HIGH / 2, height - HIGH));
        const int lane = threadIdx.x % 32;
        const uint4* from = (const uint4*)(box + (s64)(y0 + lane) * pitch + x0);
#pragma unroll
        for (int i = 0; i < WIDE / 16; i++) ((uint4*)cells[lane])[i] = from[i];
        __syncwarp();
    }
    __device__ __noinline__ void put_back() const {
        __syncwarp();
        const int lane = threadIdx.x % 32;
        uint4* to = (uint4*)(box + (s64)(y0 + lane) * pitch + x0);
#pragma unroll
        for (int i = 0; i < WIDE / 16; i++) to[i] = ((const uint4*)cells[lane])[i];
        __syncwarp();
    }
};

extern "C" __global__ void __launch_bounds__(WARPS * 32)
#if DFST_C > 1
__cluster_dims__(DFST_C, 1, 1)
#endif
roll(const real* W,               // (models, SYMBOLS, DIM, ROWS)
     const u32* rules,            // (states, SYMBOLS) as in Rule
     u64 codes, u64 row_of,       // a byte for each row of C: its motion; a byte for each motion: its row
     const int* model,            // (clusters,)
     const int* seats,            // (clusters, Q) rollouts, -1 for none
     Place* places, real* hidden, // (rollouts,), (rollouts, DIM)
     u8* cells, s64 height, s64 pitch, s64 limit, s64 budget) {
    extern __shared__ __align__(128) u8 memory[];
    real* values = (real*)memory;                    // (3, Q, V) h and the scores of the step before, in turns
    u8* windows = (u8*)(values + 3 * Q * V);         // (CLERKS, HIGH, WIDE)
    u64* arrived = (u64*)(windows + CLERKS * HIGH * WIDE); // (2,) barriers of the cluster
    u32* reading = (u32*)(arrived + 2);              // (4, Q) what each rollout reads, in turns
    u32* table = reading + 4 * Q;                    // (RULES,)
    real* staged = (real*)(table + (RULES + 3) / 4 * 4); // (SYMBOLS, DIM, RC)

    const int thread = threadIdx.x, lane = thread % 32, rank = rank_in_cluster(), cluster = blockIdx.x / C;
    const real* mine = W + (s64)model[cluster] * SYMBOLS * DIM * ROWS;
    if constexpr (STAGED) {
        for (int i = thread; i < SYMBOLS * DIM * RC; i += blockDim.x) {
            const int row = rank * RC + i % RC;
            staged[i] = row < ROWS ? mine[(s64)(i / RC) * ROWS + row] : (real)0;
        }
    }
    for (int i = thread; i < RULES; i += blockDim.x) table[i] = rules[i];
    for (int i = thread; i < Q * DIM; i += blockDim.x) {
        const int rollout = seats[cluster * Q + i / DIM];
        values[i / DIM * V + i % DIM] = rollout < 0 ? (real)0 : hidden[(s64)rollout * DIM + i % DIM];
    }
    for (int i = thread; i < Q; i += blockDim.x) {
        const int rollout = seats[cluster * Q + i];
        const Place* place = places + rollout;
        reading[i] = rollout < 0 ? NOTHING : cells[(rollout * height + place->y) * pitch + place->x];
    }
    if (C > 1 && thread == 0) make_barriers(arrived, WARPS);

    // of a product thread
    const int group = thread / RC, local = thread % RC, row = rank * RC + local;
    const bool works = thread < Q * RC && row < ROWS;
    // of a clerk
    const int clerk = (thread - WORKERS) / 32, q = thread < WORKERS ? Q : clerk * C + rank;
    const int rollout = q < Q ? seats[cluster * Q + q] : -1;
    bool running = rollout >= 0, pending = false;
    Place* place = places + max(rollout, 0);         // who has no rollout leaves it alone
    Window window = {(u8(*)[WIDE])(windows + max(clerk, 0) * HIGH * WIDE), cells + max(rollout, 0) * height * pitch,
                     (int)pitch, (int)height, 0, 0};
    int x = place->x, y = place->y, state = place->state; // where the walk stands, a step ahead of the verdicts
    int x_before = x, y_before = y, state_before = state;
    s64 steps = place->steps;
    const s64 end = min(limit, steps + budget);
    u32 read = NOTHING, read_before = NOTHING;
    Rule rule = {0};                                 // that is to be judged
    real margin = place->margin;                     // the smallest lead so far; all lanes alike
    if (running) {
        window.look(x, y);
        read = window.at(x, y);
    }

    __syncwarp();
    cluster_sync();
    for (int step = 0, buffer = 0;; step++) {
        const u32 here = address(arrived + (step & 1)), there = address(arrived + (~step & 1));
        if (C > 1 && step > 0) await(here, (step - 1) >> 1 & 1);
        const int next = buffer == 2 ? 0 : buffer + 1;
        const u32* symbols = reading + (step & 3) * Q;
        const u32 moving = __ballot_sync(~0u, lane < Q && symbols[min(lane, Q - 1)] != NOTHING);
        if (moving == 0) break;

        if (works) {
            const u32 symbol = symbols[group];
            if (symbol != NOTHING) {
                const real* h = values + (buffer * Q + group) * V;
                constexpr int STEP = STAGED ? RC : ROWS;
                const real* w = STAGED ? staged + symbol * (DIM * RC) + local : mine + (s64)symbol * (DIM * ROWS) + row;
                real sum = row_times<STEP>(w, h);
                // asked afterwards, so that the product need not wait for the answer
                if (step > 0 && !is_near(h)) sum = row_times_rescaled<STEP>(w, h, sum);
                tell_all(values + (next * Q + group) * V + row, sum, there);
            }
        } else if (running) {                        // a whole warp, all lanes alike
            // the walk
            Rule ahead = {0};
            if (read != NOTHING && state >= 0)
                ahead.word = RULES ? table[state * SYMBOLS + read] : rules[(s64)state * SYMBOLS + read];
            const int motion = ahead.motion();
            const int to_x = x + (motion == 3) - (motion == 2), to_y = y + (motion == 0) - (motion == 1);
            const bool holds = window.holds(to_x, to_y);
            u32 then = window.at(holds ? to_x : x, holds ? to_y : y);
            if (motion >= HALT_MOTION) then = ahead.symbol();

            // the verdict on the step before
            int status = RUNNING;
            bool undone = false;
            const real* h = values + (buffer * Q + q) * V; // that the judged step made, and the one it decided from
            const real* h_before = values + ((buffer == 0 ? 2 : buffer - 1) * Q + q) * V;
            if (pending) {
                const real* scores = h + DIM;
                real lead = infinity();
                bool good = agrees(scores, SYMBOLS, rule.symbol(), lead);
                good = agrees(scores + SYMBOLS, MOTIONS, (int)(row_of >> 8 * rule.motion() & 255), lead) && good;
                good = good && state != MISSING;
                if (!__all_sync(~0u, good && lead >= margin)) {
                    if (!__all_sync(~0u, good)) {
                        const Decision which = decide(scores, SYMBOLS), where = decide(scores + SYMBOLS, MOTIONS);
                        const int found = codes >> 8 * where.best & 255;
                        lead = min(which.lead, where.lead);
                        if (!which.finite || !where.finite) status = NOT_FINITE;
                        else if (state == MISSING || which.best != rule.symbol() || found != rule.motion())
                            status = DIFFERS;
                        place->symbol = which.best, place->motion = found;
                    }
                    // each lane saw other scores
#pragma unroll
                    for (int apart = 16; apart > 0; apart /= 2) lead = min(lead, __shfl_xor_sync(~0u, lead, apart));
                    if (status == RUNNING && lead < margin)
                        margin = lead, place->norm = norm(h_before, step - 1 > 0 ? factor(h_before) : 1);
                }
                if (status == RUNNING) {
                    steps++;
                    if (state == HALTS) status = HALTED;
                } else {
                    x = x_before, y = y_before, state = state_before;
                    undone = true;
                    if (lane == 0) {
                        if (window.holds(x, y)) window.at(x, y) = read_before;
                        else window.box[(s64)y * pitch + x] = read_before;
                    }
                }
            }
            if (status == RUNNING && read == NOTHING) status = LEFT_THE_BOX;
            if (status != RUNNING || steps >= end) {
                running = false, read = NOTHING;
                place->x = x, place->y = y, place->state = state, place->steps = steps, place->status = status;
                place->margin = margin;
                window.put_back();
                const real* remains = undone ? h_before : h;
                const real by = step - undone > 0 ? factor(remains) : 1;
                for (int i = lane; i < DIM; i += 32) hidden[(s64)rollout * DIM + i] = multiply(remains[i], by);
            } else {
                rule = ahead, x_before = x, y_before = y, read_before = read, state_before = state;
                state = ahead.next(), pending = true;
                if (state != MISSING) {
                    if (lane == 0) window.at(x, y) = ahead.symbol();
                    x = to_x, y = to_y;
                    if (!holds) {
                        window.put_back();
                        window.look(x, y);
                        then = window.at(x, y);
                    }
                    read = then;
                }
                __syncwarp();
            }
        }
        // on the rim there is nothing to multiply, but a verdict to wait for
        if (q < Q && lane == 0)
            tell_all(reading + ((step + 1) & 3) * Q + q, running && read == NOTHING ? 0 : read, there);
        if constexpr (C == 1) {
            __syncthreads();
        } else {
            __syncwarp();
            if (thread == 0) expect(there, __popc(moving) * ROWS * (int)sizeof(real) + Q * 4);
            else if (lane == 0) arrive(there);
        }
        buffer = next;
    }
    __syncwarp();
    cluster_sync();
}
