// The sweep of gpu_kernels.py for Hopper: all matrices stay in the shared memory of a cluster of blocks.
//
// A step is a small matrix times a vector, and the next step waits for it: latency is everything. Each block of a
// cluster of C keeps the same RC rows of W[x] = [A[x]; B[x]; C[x]] (r = d + k + m rows, d columns) for every symbol x.
//   forward    v = W[x] h: a block computes its rows; new entries of h go to all blocks, errors stay
//   backward   g = W[x]ᵀ u, u = [g_next; e]: a block computes its rows' share of every entry of g and sends it to the
//              block that owns the row of that entry, which adds the C shares in order
// Blocks speak by asynchronous stores into each other's shared memory that count down a barrier there, so a step costs
// one message time. Buffers rotate in threes: whoever sends for step t + 1 has received step t, which every block sent
// after its last look at step t - 2. Rows of W for the next step are fetched while the message travels.
//
// GROUP threads work on one trace; a cluster has Q such groups, on traces of the same seed.
// Compile-time, as macros: DFST_SYMBOLS, DFST_MOVES, DFST_DIM (k, m, d), DFST_C, DFST_RC, DFST_Q, and DFST_HS and
// DFST_US (strides of hidden and signal).

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

constexpr int SYMBOLS = DFST_SYMBOLS, MOVES = DFST_MOVES, DIM = DFST_DIM;
constexpr int C = DFST_C, RC = DFST_RC, Q = DFST_Q, HS = DFST_HS, US = DFST_US;
constexpr int R = DIM + SYMBOLS + MOVES;
constexpr int F = (DIM + 3) / 4;            // float4s in a row of W
constexpr int GROUP = 128;
constexpr int BUFFERS = 3;
constexpr int FORWARD_ROWS = RC / 16;       // eight lanes share a row of the forward product
constexpr int FORWARD_TURNS = (F + 7) / 8;
constexpr int BACKWARD_ROWS = RC / 4;       // four groups of lanes share a column of the backward product
constexpr long long SIZE = (long long)SYMBOLS * DIM * R + DIM;

struct Trace {                              // working memory of one group
    float h[BUFFERS][4 * F];
    float share[BUFFERS][C][RC];
    float sums[GROUP / 32];
    u64 arrived_h[BUFFERS];
    u64 arrived_share[BUFFERS];
};

struct Shared {
    float w[SYMBOLS][RC][4 * F];
    Trace trace[Q];
};

__device__ __forceinline__ u32 address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 remote(u32 local, u32 block) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(block));
    return there;
}

__device__ __forceinline__ void send(u32 to, float value, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
                 :: "r"(to), "f"(value), "r"(barrier) : "memory");
}

__device__ __forceinline__ void expect(u64* barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(address(barrier)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void await(u64* barrier, u32 parity) {
    u32 done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(address(barrier)), "r"(parity) : "memory");
    } while (!done);
}

__device__ __forceinline__ void group_sync(int q) {
    asm volatile("bar.sync %0, %1;" :: "r"(q + 1), "n"(GROUP) : "memory");
}

__device__ __forceinline__ void cluster_sync() {
    if constexpr (C == 1) __syncthreads();
    else asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ u32 rank_in_cluster() {
    u32 rank = 0;
    if constexpr (C > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ float4 zero4() { return make_float4(0.f, 0.f, 0.f, 0.f); }

// Row `row` of W[symbol] in the flat parameters of a seed.
__device__ __forceinline__ const float* weights_row(const float* own, int symbol, int row) {
    if (row < DIM) return own + (symbol * DIM + row) * DIM;
    if (row < DIM + SYMBOLS) return own + (SYMBOLS * DIM + symbol * SYMBOLS + row - DIM) * DIM;
    return own + (SYMBOLS * (DIM + SYMBOLS) + symbol * MOVES + row - DIM - SYMBOLS) * DIM;
}

__device__ void load_weights(Shared& shared, const float* own, int rank) {
    for (int i = threadIdx.x; i < SYMBOLS * RC * F; i += blockDim.x) {
        const int f = i % F, local = i / F % RC, symbol = i / (F * RC), row = rank * RC + local;
        float* to = &shared.w[symbol][local][4 * f];
        if (row >= R) {
            *(float4*)to = zero4();
        } else if constexpr (DIM % 4 == 0 && SIZE % 4 == 0) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         :: "r"(address(to)), "l"(weights_row(own, symbol, row) + 4 * f) : "memory");
        } else {
            const float* from = weights_row(own, symbol, row);
            for (int j = 0; j < 4; j++) to[j] = 4 * f + j < DIM ? from[4 * f + j] : 0.f;
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ void fetch_forward(float4 (&w)[FORWARD_ROWS][FORWARD_TURNS], const Shared& shared, int symbol,
                                              int lane8, int row16) {
#pragma unroll
    for (int i = 0; i < FORWARD_ROWS; i++)
#pragma unroll
        for (int j = 0; j < FORWARD_TURNS; j++) {
            const int f = lane8 + 8 * j;
            w[i][j] = f < F ? *(const float4*)&shared.w[symbol][row16 + 16 * i][4 * f] : zero4();
        }
}

__device__ __forceinline__ void fetch_backward(float4 (&w)[BACKWARD_ROWS], const Shared& shared, int symbol, int f, int part) {
#pragma unroll
    for (int i = 0; i < BACKWARD_ROWS; i++)
        w[i] = *(const float4*)&shared.w[symbol][part * BACKWARD_ROWS + i][4 * f];
}

// Sum over the four lane groups 0-7, 8-15, 16-23, 24-31; afterwards each holds one component: 2·bit3 + bit4.
__device__ __forceinline__ float scatter_sum(float4 v, int lane) {
    const bool high = lane & 8, top = lane & 16;
    float a = high ? v.z : v.x, b = high ? v.w : v.y;
    a += __shfl_xor_sync(~0u, high ? v.x : v.z, 8);
    b += __shfl_xor_sync(~0u, high ? v.y : v.w, 8);
    return (top ? b : a) + __shfl_xor_sync(~0u, top ? a : b, 16);
}

__device__ __forceinline__ float share_sum(const Trace& mine, int buffer, int row) {
    float sum = mine.share[buffer][0][row];
#pragma unroll
    for (int c = 1; c < C; c++) sum += mine.share[buffer][c][row];
    return sum;
}

__device__ void sweep_forward(const Shared& shared, Trace& mine, int q, int rank, int steps, float scale, const u8* x,
                              const u8* s, const u8* m, float* hidden, float* signal, float* loss) {
    const int tid = threadIdx.x % GROUP, lane8 = tid % 8, row16 = tid / 8, column = rank * RC + tid;
    const bool keeps = tid < RC && column < DIM;
    const u32 h_there = C > 1 ? remote(address(mine.h), lane8 % C) : 0;
    const u32 arrived_there = C > 1 ? remote(address(mine.arrived_h), lane8 % C) : 0;
    float4 w[FORWARD_ROWS][FORWARD_TURNS];
    float square = 0.f;
    int symbol_next = x[steps > 1 ? 1 : 0];
    fetch_forward(w, shared, x[0], lane8, row16);
    for (int t = 0; t < steps; t++) {
        const int buffer = t % BUFFERS, next = (t + 1) % BUFFERS;
        const int written = s[t], moved = m[t], symbol_after = x[min(t + 2, steps - 1)];
        if (C > 1 && t > 0) await(&mine.arrived_h[buffer], (t - 1) / BUFFERS & 1);
        group_sync(q);
        if (C > 1 && tid == 0 && t + 1 < steps) expect(&mine.arrived_h[next], DIM * 4);
        float4 h[FORWARD_TURNS];
#pragma unroll
        for (int j = 0; j < FORWARD_TURNS; j++)
            h[j] = lane8 + 8 * j < F ? *(const float4*)&mine.h[buffer][4 * (lane8 + 8 * j)] : zero4();
        float v[FORWARD_ROWS];
#pragma unroll
        for (int i = 0; i < FORWARD_ROWS; i++) {
            float4 sum = zero4();
#pragma unroll
            for (int j = 0; j < FORWARD_TURNS; j++) {
                sum.x = fmaf(w[i][j].x, h[j].x, sum.x);
                sum.y = fmaf(w[i][j].y, h[j].y, sum.y);
                sum.z = fmaf(w[i][j].z, h[j].z, sum.z);
                sum.w = fmaf(w[i][j].w, h[j].w, sum.w);
            }
            v[i] = (sum.x + sum.y) + (sum.z + sum.w);
        }
#pragma unroll
        for (int apart = 4; apart > 0; apart /= 2)
#pragma unroll
            for (int i = 0; i < FORWARD_ROWS; i++) v[i] += __shfl_xor_sync(~0u, v[i], apart);
#pragma unroll
        for (int i = 0; i < FORWARD_ROWS; i++) {
            const int row = rank * RC + row16 + 16 * i;
            if (row < DIM) {
                if (C == 1) {
                    if (lane8 == 0) mine.h[next][row] = v[i];
                } else if (lane8 < C && t + 1 < steps) {
                    send(h_there + (next * 4 * F + row) * 4, v[i], arrived_there + next * 8);
                }
            }
        }
        fetch_forward(w, shared, symbol_next, lane8, row16);
        symbol_next = symbol_after;
#pragma unroll
        for (int i = 0; i < FORWARD_ROWS; i++) {
            const int output = rank * RC + row16 + 16 * i - DIM;
            if (lane8 == 0 && output >= 0 && output < SYMBOLS + MOVES) {
                const bool target = output < SYMBOLS ? output == written : output - SYMBOLS == moved;
                const float error = v[i] - (target ? 1.f : 0.f);
                square = fmaf(error, error, square);
                signal[(long long)t * US + DIM + output] = error * scale;
            }
        }
        if (keeps) hidden[(long long)t * HS + column] = mine.h[buffer][column];
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) square += __shfl_xor_sync(~0u, square, apart);
    if (tid % 32 == 0) mine.sums[tid / 32] = square;
    group_sync(q);
    if (tid == 0) *loss = 0.5f * scale * ((mine.sums[0] + mine.sums[1]) + (mine.sums[2] + mine.sums[3]));
}

__device__ void sweep_backward(const Shared& shared, Trace& mine, int q, int rank, int steps, const u8* x, float* signal,
                               float* slope0) {
    const int tid = threadIdx.x % GROUP, lane = tid % 32, part = lane / 8, f = tid / 32 * 8 + lane % 8;
    const int column = 4 * f + (lane & 8 ? 2 : 0) + (lane & 16 ? 1 : 0);
    const int f_safe = min(f, F - 1), owner = min(column / RC, C - 1);
    const int row = rank * RC + tid;
    const bool gradient_row = tid < RC && row < DIM, error_row = tid < RC && row >= DIM && row < R;
    const u32 bytes = (u32)(min(DIM - rank * RC, RC) * C * 4);
    const u32 share_there = C > 1 ? remote(address(&mine.share[0][rank][column % RC]), owner) : 0;
    const u32 arrived_there = C > 1 ? remote(address(mine.arrived_share), owner) : 0;
    float4 w[BACKWARD_ROWS];
    int symbol_next = x[max(steps - 2, 0)];
    fetch_backward(w, shared, x[steps - 1], f_safe, part);
    float error = error_row ? signal[(long long)(steps - 1) * US + row] : 0.f;
    for (int i = 0; i < steps; i++) {
        const int buffer = i % BUFFERS, next = (i + 1) % BUFFERS, t = steps - 1 - i;
        const int symbol_after = x[max(t - 2, 0)];
        if (error_row) {
            mine.share[buffer][0][tid] = error;
            error = signal[(long long)max(t - 1, 0) * US + row];
        }
        if (C > 1 && i > 0) await(&mine.arrived_share[buffer], (i - 1) / BUFFERS & 1);
        group_sync(q);
        if (C > 1 && tid == 0) expect(&mine.arrived_share[next], bytes);
        if (tid / 32 * 32 < F * 4) {
            float4 sum = zero4();
#pragma unroll
            for (int j = 0; j < BACKWARD_ROWS / 4; j++) {
                float4 u = *(const float4*)&mine.share[buffer][0][part * BACKWARD_ROWS + 4 * j];
#pragma unroll
                for (int c = 1; c < C; c++) {
                    const float4 more = *(const float4*)&mine.share[buffer][c][part * BACKWARD_ROWS + 4 * j];
                    u.x += more.x, u.y += more.y, u.z += more.z, u.w += more.w;
                }
                const float each[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
                for (int l = 0; l < 4; l++) {
                    const float4 a = w[4 * j + l];
                    sum.x = fmaf(a.x, each[l], sum.x);
                    sum.y = fmaf(a.y, each[l], sum.y);
                    sum.z = fmaf(a.z, each[l], sum.z);
                    sum.w = fmaf(a.w, each[l], sum.w);
                }
            }
            const float value = scatter_sum(sum, lane);
            if (column < DIM) {
                if (C == 1) mine.share[next][0][column] = value;
                else send(share_there + next * C * RC * 4, value, arrived_there + next * 8);
            }
            fetch_backward(w, shared, symbol_next, f_safe, part);
        }
        symbol_next = symbol_after;
        if (gradient_row) signal[(long long)t * US + row] = share_sum(mine, buffer, tid);
    }
    if (C > 1) await(&mine.arrived_share[steps % BUFFERS], (steps - 1) / BUFFERS & 1);
    group_sync(q);
    if (gradient_row) slope0[row] = share_sum(mine, steps % BUFFERS, tid);
}

extern "C" __global__ void __launch_bounds__(GROUP * Q)
#if DFST_C > 1
__cluster_dims__(DFST_C, 1, 1)
#endif
sweep(const float* theta, const u8* x, const u8* s, const u8* m, const long long* start, const long long* chosen,
      const u8* alive, float* hidden, float* signal, float* slope0, float* losses, int batch, int longest) {
    extern __shared__ __align__(128) unsigned char memory[];
    Shared& shared = *(Shared*)memory;
    const int q = threadIdx.x / GROUP, tid = threadIdx.x % GROUP, rank = rank_in_cluster();
    const int clusters = (batch + Q - 1) / Q, cluster = blockIdx.x / C;
    const int seed = cluster / clusters, slot = cluster % clusters * Q + q;
    const long long index = (long long)seed * batch + slot;
    const float* own = theta + seed * SIZE;
    Trace& mine = shared.trace[q];

    long long begin = 0;
    int steps = 0;
    if (slot < batch && alive[seed]) {
        begin = start[chosen[index]];
        steps = (int)(start[chosen[index] + 1] - begin);
    }
    for (int i = tid; i < BUFFERS * 4 * F; i += GROUP) (&mine.h[0][0])[i] = 0.f;
    for (int i = tid; i < BUFFERS * C * RC; i += GROUP) (&mine.share[0][0][0])[i] = 0.f;
    group_sync(q);
    for (int i = tid; i < DIM; i += GROUP) mine.h[0][i] = own[SIZE - DIM + i];
    if (C > 1 && tid == 0) {
        for (int i = 0; i < BUFFERS; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address(&mine.arrived_h[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address(&mine.arrived_share[i])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    load_weights(shared, own, rank);
    cluster_sync();

    if (steps > 0) {
        const float scale = 1.f / ((float)steps * (float)batch);
        float* my_signal = signal + index * longest * US;
        sweep_forward(shared, mine, q, rank, steps, scale, x + begin, s + begin, m + begin,
                      hidden + index * longest * HS, my_signal, losses + index * C + rank);
        sweep_backward(shared, mine, q, rank, steps, x + begin, my_signal, slope0 + index * DIM);
    } else if (slot < batch) {
        if (tid == 0) losses[index * C + rank] = 0.f;
        if (tid < RC && rank * RC + tid < DIM) slope0[index * DIM + rank * RC + tid] = 0.f;
    }
    cluster_sync();
}
