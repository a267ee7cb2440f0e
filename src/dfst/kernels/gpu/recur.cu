// The recurrence of gpu_kernels.recur_kernel for Hopper: all matrices stay in the shared memory of a cluster of blocks.
//
//     v ← M[x] v (+ drive)      forward: M = A, v = h.   backward: M = Aᵀ, v = g, drive = the read-out's part of g.
//     forward with noise: v ← M[x] v ± σ, the sign by one bit of a hash (noise.py).
//
// A step is a small matrix times a vector, and the next step waits for it: latency is everything. Each of the C blocks
// of a cluster keeps RC rows of every matrix and computes these entries of v, L lanes a row. It sends them to all
// blocks by asynchronous stores that count down a barrier at the receiver, so a step costs one message time; the rows
// for the next step are fetched while the message travels. Two buffers suffice: who sends step i + 1 has received all
// of step i, which every warp of every block sent after its last look at step i - 1.
//
// GROUP threads work on one trace; a cluster has Q such groups, on traces of one seed.
// Compile-time, as macros: DFST_SYMBOLS and DFST_DIM (k, d), DFST_C, DFST_RC, DFST_L, DFST_Q, DFST_SF (float4s from a
// row of a matrix to the next), DFST_VS and DFST_DS (strides of values and drive), DFST_BACKWARD, DFST_NOISE,
// DFST_ALIGNED (rows of the matrices begin at multiples of 16 bytes).

#include "cluster.cuh"

constexpr int SYMBOLS = DFST_SYMBOLS, DIM = DFST_DIM, C = DFST_C, RC = DFST_RC, L = DFST_L, Q = DFST_Q;
constexpr int SF = DFST_SF, VS = DFST_VS, DS = DFST_DS;
constexpr bool BACKWARD = DFST_BACKWARD, NOISE = DFST_NOISE, ALIGNED = DFST_ALIGNED;
constexpr int F = (DIM + 3) / 4;                 // float4s that hold a row
constexpr int TURNS = (F + L - 1) / L;           // float4s of a row that one lane takes
constexpr int GROUP = (RC * L + 31) / 32 * 32;
constexpr int LEAD = 8;                          // steps that drive is fetched ahead

struct Trace {                                   // working memory of one group
    float v[2][4 * SF];
    u64 arrived[2];
};

__device__ __forceinline__ void group_sync(int q) {
    if constexpr (GROUP == 32) __syncwarp();
    else asm volatile("bar.sync %0, %1;" :: "r"(q + 1), "n"(GROUP) : "memory");
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

__device__ __forceinline__ void fetch(float4 (&row)[TURNS], const float4* w) {
#pragma unroll
    for (int j = 0; j < TURNS; j++) row[j] = w[L * j];
}

// `noise.mix`
__device__ __forceinline__ u32 mix(u32 z) {
    z = (z ^ (z >> 16)) * 0x7FEB352Du;
    z = (z ^ (z >> 15)) * 0x846CA68Bu;
    return z ^ (z >> 16);
}

extern "C" __global__ void __launch_bounds__(GROUP * Q)
#if DFST_C > 1
__cluster_dims__(DFST_C, 1, 1)
#endif
recur(const float* matrices, long long seed_stride, const float* initial, long long initial_stride, const u8* x,
      const long long* start, const long long* chosen, const u8* alive, float* values, const float* drive, float* ends,
      const long long* keys, const float* noise, int batch, int longest) {
    extern __shared__ __align__(128) unsigned char memory[];
    float4* w = (float4*)memory;
    Trace* traces = (Trace*)(w + SYMBOLS * RC * SF);
    u8* tokens = (u8*)(traces + Q);              // (Q, longest) symbols in the order of the steps

    const int q = threadIdx.x / GROUP, tid = threadIdx.x % GROUP, rank = rank_in_cluster();
    // the first slots of all seeds run first: batches begin with their longest traces
    const int clusters = (batch + Q - 1) / Q, seeds = gridDim.x / (C * clusters), cluster = blockIdx.x / C;
    const int seed = cluster % seeds, slot = cluster / seeds * Q + q;
    const long long index = (long long)seed * batch + slot;
    const int local = tid / L, lane = tid % L, row = rank * RC + local;
    const bool active = local < RC && row < DIM;
    Trace& mine = traces[q];
    u8* symbols = tokens + q * longest;

    int steps = 0;
    const u32 key = NOISE ? (u32)keys[seed] : 0;
    const float level = NOISE ? noise[seed] : 0.f;
    u32 hashed = 0;                              // of the token that reads the next state, and this row
    if (slot < batch && alive[seed]) {
        const long long begin = start[chosen[index]];
        steps = (int)(start[chosen[index] + 1] - begin);
        hashed = (u32)(begin + 1) * 32u + row / 32;
        for (int i = tid; i < steps; i += GROUP) symbols[i] = x[begin + (BACKWARD ? steps - 1 - i : i)];
    }
    for (int i = tid; i < 8 * SF; i += GROUP) {
        const int entry = i % (4 * SF);
        (&mine.v[0][0])[i] = !BACKWARD && i < DIM ? initial[seed * initial_stride + entry] : 0.f;
    }
    if (C > 1 && tid == 0) make_barriers(mine.arrived, 1);
    load_matrices(w, matrices + seed * seed_stride, rank);
    cluster_sync();

    float value = active ? mine.v[0][row] : 0.f;
    const int products = BACKWARD ? steps : steps - 1;
    // a warp without rows sends nothing and must not wait for those that do
    if ((tid / 32 * 32) / L < min(RC, DIM - rank * RC) && products > 0) {
        const float4* my_rows = w + min(local, RC - 1) * SF + lane;
        const u32 v_here = address(mine.v), arrived_here = address(mine.arrived);
        const u32 v_there = C > 1 ? remote(v_here, lane % C) + row * 4 : 0;
        const u32 arrived_there = C > 1 ? remote(arrived_here, lane % C) : 0;
        const bool keeps = active && lane == 0;
        float* to = values + (index * longest + (BACKWARD ? steps - 1 : 0)) * VS + row;
        const float* drive_at = drive + (index * longest + steps - 1) * DS + row;
        float driven[LEAD];
        if (BACKWARD)
#pragma unroll
            for (int i = 0; i < LEAD; i++) driven[i] = active && i < steps ? drive_at[-i * DS] : 0.f;
        drive_at -= LEAD * DS;
        float4 m[TURNS];
        fetch(m, my_rows + symbols[0] * (RC * SF));
        int symbol = symbols[min(1, steps - 1)];
#pragma unroll 4
        for (int i = 0; i < products; i++) {
            const int buffer = i & 1;
            if (C > 1 && i > 0) await(arrived_here + buffer * 8, (i - 1) >> 1 & 1);
            if (C > 1 && tid == 0 && i + 1 < products) expect(arrived_here + (buffer ^ 1) * 8, DIM * 4);
            const float4* v = (const float4*)mine.v[buffer] + lane;
            float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
            for (int j = 0; j < TURNS; j++) {
                const float4 part = v[L * j];
                sum.x = fmaf(m[j].x, part.x, sum.x);
                sum.y = fmaf(m[j].y, part.y, sum.y);
                sum.z = fmaf(m[j].z, part.z, sum.z);
                sum.w = fmaf(m[j].w, part.w, sum.w);
            }
            float next = (sum.x + sum.y) + (sum.z + sum.w);
#pragma unroll
            for (int apart = L / 2; apart > 0; apart /= 2) next += __shfl_xor_sync(~0u, next, apart);
            if (BACKWARD) next += driven[0];
            if (NOISE) {
                next += mix(key ^ mix(hashed)) >> row % 32 & 1 ? level : -level;
                hashed += 32;
            }
            if (C == 1) {
                if (keeps) mine.v[buffer ^ 1][row] = next;
            } else if (active && lane < C && i + 1 < products) {
                send(v_there + (buffer ^ 1) * SF * 16, next, arrived_there + (buffer ^ 1) * 8);
            }
            fetch(m, my_rows + symbol * (RC * SF));
            symbol = symbols[min(i + 2, steps - 1)];
            if (keeps) *to = value;
            to += BACKWARD ? -VS : VS;
            value = next;
            if (BACKWARD) {
#pragma unroll
                for (int j = 0; j + 1 < LEAD; j++) driven[j] = driven[j + 1];
                driven[LEAD - 1] = active && i + LEAD < steps ? *drive_at : 0.f;
                drive_at -= DS;
            }
            if (C == 1) group_sync(q);
        }
        if (!BACKWARD && keeps) *to = value;
    } else if (!BACKWARD && active && lane == 0 && steps == 1) {
        values[index * longest * VS + row] = value;
    }
    if (BACKWARD && active && lane == 0 && slot < batch) ends[index * DIM + row] = value;
    cluster_sync();
}
