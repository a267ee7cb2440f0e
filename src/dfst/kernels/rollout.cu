// Closed loops of many DFSTs, each held against the expert's table, action by action.
//
//     h ← A[x] h      symbol = argmax B[x] h      motion = argmax C[x] h
//
// A run ends at its first difference from the expert, so up to there the expert's table says what stands on the grid,
// and the symbol of the next step is known before the scores of this one: the product is all that a step waits for.
// Product threads, one a row of W = [A; B; C], make h and the scores of step i while a clerk, one warp a rollout,
// judges the scores of step i - 1 and walks the table to the symbol of step i + 1. What the clerk walked before its
// verdict (one step) is undone if the verdict is a difference.
//
// Every sum runs over j in order with one rounding an operation, so each entry has the bits of the CPU's.
//
// A cluster of C blocks keeps W of one model in shared memory, RC rows a block, and works on Q rollouts; every block
// has all of h, sent to it by the others. Without room for W (STAGED = 0) one block reads it through the caches.
//
// Compile-time, as macros: DFST_REAL, DFST_WIDE (1: 64 bits), DFST_SYMBOLS, DFST_MOTIONS, DFST_DIM, DFST_C, DFST_RC,
// DFST_Q, DFST_STAGED.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned char u8;
typedef DFST_REAL real;

constexpr int SYMBOLS = DFST_SYMBOLS, MOTIONS = DFST_MOTIONS, DIM = DFST_DIM, C = DFST_C, RC = DFST_RC, Q = DFST_Q;
constexpr bool STAGED = DFST_STAGED;
constexpr int ROWS = DIM + SYMBOLS + MOTIONS;
constexpr int V = (ROWS + 3) / 4 * 4;                // from one rollout's values to the next
constexpr int WORKERS = (Q * RC + 31) / 32 * 32;     // threads that multiply
constexpr int CLERKS = (Q + C - 1) / C;
constexpr int SEATS = (Q + 15) / 16 * 16;            // bytes of `reading`, read four words at a time

constexpr int NOTHING = 255;                         // as a symbol read: this rollout rests; on the grid: its rim
constexpr int HALT_MOTION = 4, MISSING = -2;
enum { RUNNING, HALTED, DIFFERS, NOT_FINITE, LEFT_THE_BOX };

struct Place {                                       // where a rollout stands, between launches
    s64 position;                                    // index into cells
    s64 steps;
    s64 state;                                       // of the expert
    s64 status;
    s64 symbol, motion;                              // the action that differs
    double margin;
};

#if DFST_WIDE
typedef u64 key;
typedef double2 pair;
__device__ __forceinline__ real multiply(real a, real b) { return __dmul_rn(a, b); }
__device__ __forceinline__ real add(real a, real b) { return __dadd_rn(a, b); }
__device__ __forceinline__ u64 bits_of(real a) { return __double_as_longlong(a); }
__device__ __forceinline__ real of_bits(u64 a) { return __longlong_as_double(a); }
__device__ __forceinline__ key greatest(key k) {
    const u32 high = __reduce_max_sync(~0u, (u32)(k >> 32));
    const u32 low = __reduce_max_sync(~0u, (u32)(k >> 32) == high ? (u32)k : 0u);
    return (u64)high << 32 | low;
}
#else
typedef u32 key;
typedef float2 pair;
__device__ __forceinline__ real multiply(real a, real b) { return __fmul_rn(a, b); }
__device__ __forceinline__ real add(real a, real b) { return __fadd_rn(a, b); }
__device__ __forceinline__ u32 bits_of(real a) { return __float_as_uint(a); }
__device__ __forceinline__ real of_bits(u32 a) { return __uint_as_float(a); }
__device__ __forceinline__ key greatest(key k) { return __reduce_max_sync(~0u, k); }
#endif
constexpr key SIGN = (key)1 << (8 * sizeof(key) - 1);

// Numbers as keys of the same order; no finite number has the key 0.
__device__ __forceinline__ key to_key(real a) {
    const key bits = bits_of(a);
    return bits & SIGN ? ~bits : bits | SIGN;
}
__device__ __forceinline__ real from_key(key k) { return of_bits(k & SIGN ? k ^ SIGN : ~k); }

__device__ __forceinline__ u32 address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 remote(u32 local, u32 block) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(block));
    return there;
}

__device__ __forceinline__ void store_remote(u32 to, real value) {
#if DFST_WIDE
    asm volatile("st.shared::cluster.f64 [%0], %1;" :: "r"(to), "d"(value) : "memory");
#else
    asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(to), "f"(value) : "memory");
#endif
}

__device__ __forceinline__ void store_remote(u32 to, u8 value) {
    asm volatile("st.shared::cluster.u8 [%0], %1;" :: "r"(to), "r"((u32)value) : "memory");
}

// To the same place in the shared memory of every block of the cluster.
template <typename T> __device__ __forceinline__ void tell_all(T* to, T value) {
    if constexpr (C == 1) {
        *to = value;
    } else {
#pragma unroll
        for (int block = 0; block < C; block++) store_remote(remote(address(to), block), value);
    }
}

__device__ __forceinline__ void cluster_sync() {
    __syncwarp();
    if constexpr (C == 1) __syncthreads();
    else asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ u32 rank_in_cluster() {
    u32 rank = 0;
    if constexpr (C > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// One row of W[x] times h; consecutive rows lie side by side, consecutive j STEP apart.
template <int STEP> __device__ __forceinline__ real row_times(const real* __restrict__ w, const real* h) {
    real sum = 0;
#pragma unroll 8
    for (int j = 0; j + 1 < DIM; j += 2) {
        const pair two = *(const pair*)(h + j);
        sum = add(sum, multiply(w[j * STEP], two.x));
        sum = add(sum, multiply(w[(j + 1) * STEP], two.y));
    }
    if (DIM % 2) sum = add(sum, multiply(w[(DIM - 1) * STEP], h[DIM - 1]));
    return sum;
}

struct Decision {
    int best;
    double lead;
    bool finite;
};

// The first best of n scores and its lead over the second, by a whole warp.
__device__ __forceinline__ Decision decide(const real* scores, int n) {
    key top = 0, second = 0;
    int at = 0;
    bool finite = true;
    for (int i = threadIdx.x % 32; i < n; i += 32) {
        const real score = scores[i] + (real)0;      // -0 counts as 0
        finite = finite && score - score == 0;
        const key k = to_key(score);
        if (k > top) {
            second = top, top = k, at = i;
        } else if (k > second) {
            second = k;
        }
    }
    const key most = greatest(top);
    const int best = __reduce_min_sync(~0u, top == most ? (u32)at : ~0u);
    const key rest = greatest(top == most && at == best ? second : top);
    const double lead = rest ? (double)(from_key(most) - from_key(rest)) : __longlong_as_double(0x7ff0000000000000ll);
    return {best, lead, (bool)__all_sync(~0u, finite)};
}

extern "C" __global__ void __launch_bounds__(WORKERS + 32 * CLERKS)
#if DFST_C > 1
__cluster_dims__(DFST_C, 1, 1)
#endif
roll(const real* W,               // (models, SYMBOLS, DIM, ROWS)
     const s64* rules,            // (states, SYMBOLS) next state · 2¹⁶ + motion shown · 2⁸ + symbol written
     const u8* codes,             // (MOTIONS,) the motion of each row of C
     const int* model,            // (clusters,)
     const int* seats,            // (clusters, Q) rollouts, -1 for none
     Place* places, real* hidden, // (rollouts,), (rollouts, DIM)
     u8* cells, s64 pitch, s64 limit, s64 budget) {
    extern __shared__ __align__(128) u8 memory[];
    real* values = (real*)memory;                    // (3, Q, V) h and the scores of the step before, in turns
    u8* reading = (u8*)(values + 3 * Q * V);         // (2, SEATS) what each rollout reads, this step and the next
    real* staged = (real*)(reading + 2 * SEATS);     // (SYMBOLS, DIM, RC)

    const int thread = threadIdx.x, lane = thread % 32, rank = rank_in_cluster(), cluster = blockIdx.x / C;
    const real* mine = W + (s64)model[cluster] * SYMBOLS * DIM * ROWS;
    if constexpr (STAGED) {
        for (int i = thread; i < SYMBOLS * DIM * RC; i += blockDim.x) {
            const int row = rank * RC + i % RC;
            staged[i] = row < ROWS ? mine[(s64)(i / RC) * ROWS + row] : (real)0;
        }
    }
    for (int i = thread; i < Q * DIM; i += blockDim.x) {
        const int rollout = seats[cluster * Q + i / DIM];
        values[i / DIM * V + i % DIM] = rollout < 0 ? (real)0 : hidden[(s64)rollout * DIM + i % DIM];
    }
    for (int i = thread; i < 2 * SEATS; i += blockDim.x) {
        const int rollout = i < Q ? seats[cluster * Q + i] : -1;
        reading[i] = rollout < 0 ? NOTHING : cells[places[rollout].position];
    }

    // of a product thread
    const int group = thread / RC, local = thread % RC, row = rank * RC + local;
    const bool works = thread < Q * RC && row < ROWS;
    // of a clerk
    const int q = thread < WORKERS ? Q : (thread - WORKERS) / 32 * C + rank;
    const int rollout = q < Q ? seats[cluster * Q + q] : -1;
    bool running = rollout >= 0, pending = false;
    Place now = running ? places[rollout] : Place();
    s64 before = now.position, end = min(limit, now.steps + budget), rule = 0;
    int x = running ? cells[now.position] : NOTHING, x_before = x;
    s64 state_before = now.state;

    cluster_sync();
    for (int step = 0, buffer = 0;; step++) {
        const int next = buffer == 2 ? 0 : buffer + 1;
        const u8* symbols = reading + (step & 1) * SEATS;
        u32 resting = ~0u;
#pragma unroll
        for (int i = 0; i < SEATS / 4; i++) resting &= ((const u32*)symbols)[i];
        if (resting == ~0u) break;

        if (works) {
            const int symbol = symbols[group];
            if (symbol != NOTHING) {
                const real* h = values + (buffer * Q + group) * V;
                const real sum = STAGED ? row_times<RC>(staged + symbol * (DIM * RC) + local, h)
                                        : row_times<ROWS>(mine + (s64)symbol * (DIM * ROWS) + row, h);
                tell_all(values + (next * Q + group) * V + row, sum);
            }
        } else if (running) {                        // a whole warp, all lanes alike
            // fetched early, needed late
            const s64 rule_here = x != NOTHING && now.state >= 0 ? rules[now.state * SYMBOLS + x] : 0;
            int near = NOTHING;
            if (lane < 4 && x != NOTHING)
                near = cells[now.position + (lane == 0 ? pitch : lane == 1 ? -pitch : lane == 2 ? -1 : 1)];

            int status = RUNNING, kept = buffer;     // the buffer with the hidden state that remains
            if (pending) {
                const real* scores = values + (buffer * Q + q) * V + DIM;
                const Decision symbol = decide(scores, SYMBOLS), which = decide(scores + SYMBOLS, MOTIONS);
                const int motion = codes[which.best];
                if (!symbol.finite || !which.finite) {
                    status = NOT_FINITE;
                } else if (rule >> 16 == MISSING || symbol.best != (rule & 255) || motion != (rule >> 8 & 255)) {
                    status = DIFFERS;
                } else {
                    now.margin = min(now.margin, min(symbol.lead, which.lead));
                    now.steps++;
                    if (motion == HALT_MOTION) status = HALTED;
                }
                if (status == NOT_FINITE || status == DIFFERS) {
                    now.symbol = symbol.best, now.motion = motion;
                    now.position = before, now.state = state_before;
                    if (lane == 0) cells[before] = x_before;
                    kept = buffer == 0 ? 2 : buffer - 1;
                }
            }
            if (status == RUNNING && x == NOTHING) status = LEFT_THE_BOX;
            if (status != RUNNING || now.steps >= end) {
                running = false, x = NOTHING, now.status = status;
                if (lane == 0) places[rollout] = now;
                for (int i = lane; i < DIM; i += 32)
                    hidden[(s64)rollout * DIM + i] = values[(kept * Q + q) * V + i];
            } else {
                rule = rule_here, before = now.position, x_before = x, state_before = now.state;
                now.state = rule >> 16, pending = true;
                if (now.state != MISSING) {
                    const int motion = rule >> 8 & 255;
                    if (lane == 0) cells[before] = rule & 255;
                    x = __shfl_sync(~0u, near, motion & 3);
                    if (motion >= HALT_MOTION) x = rule & 255;
                    else now.position += motion == 0 ? pitch : motion == 1 ? -pitch : motion == 2 ? -1 : 1;
                }
            }
            // on the rim there is nothing to multiply, but a verdict to wait for
            if (lane == 0)
                tell_all(reading + ((step + 1) & 1) * SEATS + q, (u8)(running && x == NOTHING ? 0 : x));
        } else if (q < Q && lane == 0) {
            tell_all(reading + ((step + 1) & 1) * SEATS + q, (u8)NOTHING);
        }
        cluster_sync();
        buffer = next;
    }
}
