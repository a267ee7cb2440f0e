// The sweep of recur.cu for many traces: the same sums in the same order, bit for bit, with less shared memory read.
//
// With many seeds a sweep no longer waits for messages but for shared memory, which hands a matrix to one trace at a
// time. Here Q traces of a seed go in step, and those that read the same symbol share what is read: a team of warps
// takes up to N such traces at once, R rows a thread, so that a float4 of the matrix serves N products and a float4 of
// v serves R. Which traces go together in which step is worked out before the first. A cluster has G such groups,
// so that one computes while the other's messages travel.
//
// A group's barrier counts the bytes of all its traces, and all its warps, those without work too: nobody can fall
// two steps behind. The rest is as in recur.cu: C, RC, L, SF, VS, DS, BACKWARD and ALIGNED mean the same.
// DFST_AHEAD: how many of a row's turns are fetched before the message is awaited; as many as there are registers.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

constexpr int SYMBOLS = DFST_SYMBOLS, DIM = DFST_DIM, C = DFST_C, RC = DFST_RC, L = DFST_L;
constexpr int G = DFST_G, Q = DFST_Q, R = DFST_R, N = DFST_N, AHEAD = DFST_AHEAD;
constexpr int SF = DFST_SF, VS = DFST_VS, DS = DFST_DS;
constexpr bool BACKWARD = DFST_BACKWARD, ALIGNED = DFST_ALIGNED;
constexpr int F = (DIM + 3) / 4;                 // float4s that hold a row
constexpr int TURNS = (F + L - 1) / L;           // float4s of a row that one lane takes
constexpr int TEAM = (RC / R * L + 31) / 32 * 32;
constexpr int GROUP = Q * TEAM;                  // as many teams as there can be different symbols
constexpr int SENT = (DIM + R - 1) / R * R;      // entries of v that are sent
constexpr u32 NOBODY = 31;                       // in place of a trace
static_assert(C > 1 && Q <= 31 && N <= 4 && RC % R == 0, "");

struct __align__(16) Group {                     // working memory
    float v[2][Q][4 * SF];
    u64 arrived[2];
    long long begin[Q];
    int steps[Q];
};

__device__ __forceinline__ u32 address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 remote(u32 local, u32 block) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(block));
    return there;
}

__device__ __forceinline__ void send(u32 to, const float (&value)[R], u32 barrier) {
    if constexpr (R == 4)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                     :: "r"(to), "f"(value[0]), "f"(value[R > 1 ? 1 : 0]), "f"(value[R > 2 ? 2 : 0]),
                        "f"(value[R > 3 ? 3 : 0]), "r"(barrier) : "memory");
    else if constexpr (R == 2)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];"
                     :: "r"(to), "f"(value[0]), "f"(value[R > 1 ? 1 : 0]), "r"(barrier) : "memory");
    else
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
                     :: "r"(to), "f"(value[0]), "r"(barrier) : "memory");
}

__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

// Without a wider scope: `acquire.cluster` would throw the first-level cache away in every step.
__device__ __forceinline__ void await(u32 barrier, u32 parity) {
    u32 done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
    } while (!done);
}

__device__ __forceinline__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ u32 rank_in_cluster() {
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void load_matrices(float4* w, const float* from, int rank) {
    for (int i = threadIdx.x; i < SYMBOLS * RC * SF; i += blockDim.x) {
        const int f = i % SF, local = i / SF % RC, symbol = i / (SF * RC), row = rank * RC + local;
        const float* source = from + (symbol * DIM + row) * DIM + 4 * f;
        float4 value = make_float4(0.f, 0.f, 0.f, 0.f);
        if (row < DIM && f < F) {
            if constexpr (ALIGNED) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(address(w + i)), "l"(source) : "memory");
                continue;
            }
            value.x = source[0];
            if (4 * f + 1 < DIM) value.y = source[1];
            if (4 * f + 2 < DIM) value.z = source[2];
            if (4 * f + 3 < DIM) value.w = source[3];
        }
        w[i] = value;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ int products_of(int steps) { return BACKWARD ? steps : max(steps - 1, 0); }

// What one team does in one step: a symbol in the lowest byte, then five bits for each trace.
struct Task {
    u32 word;
    __device__ __forceinline__ bool any() const { return who(0) != NOBODY; }
    __device__ __forceinline__ int symbol() const { return word & 255; }
    __device__ __forceinline__ u32 who(int n) const { return word >> (8 + 5 * n) & 31; }
};

template <int M> struct Many { static constexpr int count = M; };

// Which traces of a group share a matrix in step i: teams in order of each symbol's first trace.
__device__ __forceinline__ int lay_out(u32* tasks, const Group& group, const u8* x, int i) {
    u32 left = 0;
    u8 read[Q];
#pragma unroll
    for (int q = 0; q < Q; q++) {
        const int steps = group.steps[q];
        const bool moves = i < products_of(steps);
        read[q] = moves ? x[group.begin[q] + (BACKWARD ? steps - 1 - i : i)] : 0;
        left |= (u32)moves << q;
    }
    const int moving = __popc(left);
    for (int team = 0; team < Q; team++) {
        u32 word = ~0u;
        int many = 0;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            if ((left >> q & 1) && many < N && (many == 0 || read[q] == (word & 255))) {
                if (many == 0) word = (word & ~255u) | read[q];
                word ^= (NOBODY ^ q) << (8 + 5 * many++);
                left ^= 1u << q;
            }
        }
        tasks[team] = word;
    }
    return moving;
}

extern "C" __global__ void __launch_bounds__(G * GROUP) __cluster_dims__(C, 1, 1)
recur(const float* matrices, long long seed_stride, const float* initial, long long initial_stride, const u8* x,
      const long long* start, const long long* chosen, const u8* alive, float* values, const float* drive, float* ends,
      int batch, int longest) {
    extern __shared__ __align__(128) unsigned char memory[];
    float4* w = (float4*)memory;
    Group* groups = (Group*)(w + SYMBOLS * RC * SF);
    u32* tasks = (u32*)(groups + G);             // (G, longest, Q)
    u8* moving = (u8*)(tasks + G * longest * Q); // (G, longest) traces that a step moves

    const int g = threadIdx.x / GROUP, tid = threadIdx.x % GROUP, team = tid / TEAM, t = tid % TEAM;
    const int rank = rank_in_cluster(), clusters = (batch + G * Q - 1) / (G * Q), cluster = blockIdx.x / C;
    const int seed = cluster / clusters, slot = cluster % clusters * (G * Q) + g * Q;
    const long long index = (long long)seed * batch + slot;
    const int lane = t % L, local = t / L * R, row = rank * RC + local;
    const bool active = local < RC && row < DIM;
    Group& mine = groups[g];
    tasks += g * longest * Q, moving += g * longest;

    if (tid < Q) {
        mine.begin[tid] = mine.steps[tid] = 0;
        if (slot + tid < batch && alive[seed]) {
            const long long trace = chosen[index + tid];
            mine.begin[tid] = start[trace];
            mine.steps[tid] = (int)(start[trace + 1] - start[trace]);
        }
    }
    if (tid == 0) {
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                         :: "r"(address(&mine.arrived[i])), "r"(GROUP / 32) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (int i = tid; i < 2 * Q * 4 * SF; i += GROUP) {
        const int entry = i % (4 * SF);
        (&mine.v[0][0][0])[i] =
            !BACKWARD && i < Q * 4 * SF && entry < DIM ? initial[seed * initial_stride + entry] : 0.f;
    }
    load_matrices(w, matrices + seed * seed_stride, rank);
    __syncthreads();
    int rounds = 0;
    for (int q = 0; q < Q; q++) rounds = max(rounds, products_of(mine.steps[q]));
    for (int i = tid; i < rounds; i += GROUP) moving[i] = lay_out(tasks + i * Q, mine, x, i);
    // what stands before the first product
    for (int i = tid; i < Q * RC; i += GROUP) {
        const int q = i / RC, entry = rank * RC + i % RC, steps = mine.steps[q];
        if (entry >= DIM || slot + q >= batch) continue;
        if (steps > 0) values[((index + q) * longest + (BACKWARD ? steps - 1 : 0)) * VS + entry] = mine.v[0][q][entry];
        else if (BACKWARD) ends[(index + q) * DIM + entry] = 0.f;
    }
    cluster_sync();

    const float4* my_rows = w + min(local, RC - R) * SF + lane;
    const u32 v_there = remote(address(mine.v), lane % C) + row * 4;
    const u32 arrived_here = address(mine.arrived), arrived_there = remote(arrived_here, lane % C);
    Task task = {rounds > 0 ? tasks[team] : ~0u};
    float driven[N][R];

    auto fetch_drive = [&](Task of, int i) {
#pragma unroll
        for (int n = 0; n < N; n++) {
            const u32 q = of.who(n);
            if (BACKWARD && active && q != NOBODY) {
                const float* from = drive + ((index + q) * longest + mine.steps[q] - 1 - i) * DS + row;
                if constexpr (R == 4) *(float4*)driven[n] = *(const float4*)from;
                else if constexpr (R == 2) *(float2*)driven[n] = *(const float2*)from;
                else driven[n][0] = *from;
            }
        }
    };
    fetch_drive(task, 0);

    for (int i = 0; i < rounds; i++) {
        const int buffer = i & 1;
        float4 m[AHEAD + 1][R];
        const float4* rows = my_rows + (task.any() ? task.symbol() : 0) * (RC * SF);
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
#pragma unroll
            for (int r = 0; r < R; r++) m[j][r] = rows[r * SF + L * j];
        if (i > 0) await(arrived_here + buffer * 8, (i - 1) >> 1 & 1);

        auto multiply = [&](auto many) {         // for so many traces: the sums, sent and kept
            constexpr int M = decltype(many)::count;
            float4 sum[M][R];
            const float4* v[M];
#pragma unroll
            for (int n = 0; n < M; n++) {
                // a task of three leaves the fourth idle
                v[n] = (const float4*)mine.v[buffer][task.who(n) == NOBODY ? 0 : task.who(n)] + lane;
#pragma unroll
                for (int r = 0; r < R; r++) sum[n][r] = make_float4(0.f, 0.f, 0.f, 0.f);
            }
#pragma unroll
            for (int j = 0; j < TURNS; j++) {
                const int at = j < AHEAD ? j : AHEAD;
                if (j >= AHEAD)
#pragma unroll
                    for (int r = 0; r < R; r++) m[at][r] = rows[r * SF + L * j];
#pragma unroll
                for (int n = 0; n < M; n++) {
                    const float4 part = v[n][L * j];
#pragma unroll
                    for (int r = 0; r < R; r++) {
                        sum[n][r].x = fmaf(m[at][r].x, part.x, sum[n][r].x);
                        sum[n][r].y = fmaf(m[at][r].y, part.y, sum[n][r].y);
                        sum[n][r].z = fmaf(m[at][r].z, part.z, sum[n][r].z);
                        sum[n][r].w = fmaf(m[at][r].w, part.w, sum[n][r].w);
                    }
                }
            }
#pragma unroll
            for (int n = 0; n < M; n++) {
                const u32 q = task.who(n);
                if (q == NOBODY) continue;
                float next[R];
#pragma unroll
                for (int r = 0; r < R; r++) {
                    const float4 s = sum[n][r];
                    next[r] = (s.x + s.y) + (s.z + s.w);
                }
#pragma unroll
                for (int apart = L / 2; apart > 0; apart /= 2)
#pragma unroll
                    for (int r = 0; r < R; r++) next[r] += __shfl_xor_sync(~0u, next[r], apart);
                if (BACKWARD)
#pragma unroll
                    for (int r = 0; r < R; r++) next[r] += driven[n][r];
                if (active && lane < C)
                    send(v_there + ((buffer ^ 1) * Q + q) * (SF * 16), next, arrived_there + (buffer ^ 1) * 8);
                if (active && lane == n % L) {
                    const int steps = mine.steps[q], to = BACKWARD ? steps - 2 - i : i + 1;
                    float* place = to < 0 ? ends + (index + q) * DIM : values + ((index + q) * longest + to) * VS;
#pragma unroll
                    for (int r = 0; r < R; r++)
                        if (row + r < DIM) place[row + r] = next[r];
                }
            }
        };
        if (task.any()) {
            if (N == 1 || task.who(1) == NOBODY) multiply(Many<1>());
            else if (N == 2 || task.who(2) == NOBODY) multiply(Many<2>());
            else multiply(Many<4>());
        }
        if (t % 32 == 0) {
            if (tid == 0) expect(arrived_here + (buffer ^ 1) * 8, moving[i] * (SENT * 4));
            else arrive(arrived_here + (buffer ^ 1) * 8);
        }
        if (i + 1 < rounds) {
            task = {tasks[(i + 1) * Q + team]};
            fetch_drive(task, i + 1);
        }
    }
    if (rounds > 0) await(arrived_here + (rounds & 1) * 8, (rounds - 1) >> 1 & 1);
    cluster_sync();
}
