// The read-out of gpu_kernels.readout_kernel, T tokens a thread:
//
//     e = (O h − target) / (T b)      drive = Oᵀ e      loss += (T b) ‖e‖² / 2      O = [B; C] of the symbol read
//
// A block takes a chunk, tokens that read one symbol: O lies in shared memory once, and every word of it that a warp
// reads serves 32 T tokens. A warp fetches the h of its tokens row by row and writes their drive row by row, through
// shared memory, so that device memory sees whole lines. Sums run in order: over the columns, over the outputs.
//
// Compile-time, as macros: DFST_SYMBOLS, DFST_MOTIONS, DFST_DIM, DFST_HS and DFST_US (strides of hidden and signal),
// DFST_CHUNK, DFST_T, DFST_SIZE (parameters of a seed).

typedef unsigned int u32;

constexpr int SYMBOLS = DFST_SYMBOLS, MOTIONS = DFST_MOTIONS, DIM = DFST_DIM, HS = DFST_HS, US = DFST_US;
constexpr int CHUNK = DFST_CHUNK, T = DFST_T, OUTPUTS = SYMBOLS + MOTIONS;
constexpr int F = (DIM + 3) / 4;                 // float4s that hold a row
constexpr int ROW = F | 1;                       // float4s from a token to the next: odd, so that no banks collide
constexpr int E = OUTPUTS | 1;                   // the same for errors, in floats
constexpr int WARPS = CHUNK / (32 * T);
static_assert(CHUNK % (32 * T) == 0, "");

struct Tokens {                                  // a warp's; the tokens of a thread are 32 apart
    float4 h[32 * T][ROW];                       // then drive
    float e[32 * T][E];
    int row[32 * T];
};

extern "C" __global__ void __launch_bounds__(32 * WARPS)
readout(const float* theta, const float* hidden, const int* rows, const int* marks, const float* weights,
        const int* first_chunk, const int* totals, float* signal, float* drive, float* losses, long long tokens,
        int chunks) {
    extern __shared__ __align__(128) unsigned char memory[];
    float4* o = (float4*)memory;                 // (OUTPUTS, F)
    Tokens& mine = ((Tokens*)(o + OUTPUTS * F))[threadIdx.x / 32];
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * (32 * T), chunk = blockIdx.x % chunks;
    const long long seed = blockIdx.x / chunks;

    int symbol = 0;                              // as many as have all their chunks before this one
#pragma unroll
    for (int i = 0; i < SYMBOLS; i += 32) {
        const bool real = i + lane < SYMBOLS;
        symbol += __popc(__ballot_sync(~0u, real && first_chunk[seed * (SYMBOLS + 1) + i + lane + 1] <= chunk));
    }
    float loss = 0.f;
    if (symbol < SYMBOLS) {
        const int within = chunk - first_chunk[seed * (SYMBOLS + 1) + symbol];
        const int live = totals[seed * SYMBOLS + symbol] - within * CHUNK - first; // of this warp's tokens
        const long long at = (seed * chunks + chunk) * CHUNK + first;
#pragma unroll
        for (int i = lane; i < 32 * T; i += 32) mine.row[i] = i < live ? rows[at + i] : -1;
        __syncwarp();
        for (int i = lane; i < 32 * T * F; i += 32) {
            const int row = mine.row[i / F];
            const float4* source = (const float4*)(hidden + (seed * tokens + row) * HS) + i % F;
            const u32 to = (u32)__cvta_generic_to_shared(&mine.h[i / F][i % F]);
            if (row >= 0) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(source) : "memory");
        }
        const float* B = theta + seed * DFST_SIZE + SYMBOLS * DIM * DIM + symbol * (SYMBOLS * DIM);
        const float* C = theta + seed * DFST_SIZE + SYMBOLS * DIM * (DIM + SYMBOLS) + symbol * (MOTIONS * DIM);
        for (int i = threadIdx.x; i < OUTPUTS * F * 4; i += 32 * WARPS) {
            const int output = i / (F * 4), column = i % (F * 4);
            const float* from = output < SYMBOLS ? B + output * DIM : C + (output - SYMBOLS) * DIM;
            ((float*)o)[i] = column < DIM ? from[column] : 0.f;
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();

        float y[T][OUTPUTS];
#pragma unroll
        for (int output = 0; output < T * OUTPUTS; output++) (&y[0][0])[output] = 0.f;
        for (int f = 0; f < F; f++) {
            float4 h[T];
#pragma unroll
            for (int n = 0; n < T; n++) h[n] = mine.h[lane + 32 * n][f];
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++) {
                const float4 w = o[output * F + f];
#pragma unroll
                for (int n = 0; n < T; n++)
                    y[n][output] =
                        fmaf(w.w, h[n].w, fmaf(w.z, h[n].z, fmaf(w.y, h[n].y, fmaf(w.x, h[n].x, y[n][output]))));
            }
        }
#pragma unroll
        for (int n = 0; n < T; n++) {
            const int token = lane + 32 * n;
            const int mark = token < live ? marks[at + token] : 0;
            const float weight = token < live ? weights[at + token] : 0.f;
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++) {
                const bool answer = output < SYMBOLS ? output == (mark & 255) : output - SYMBOLS == mark >> 8;
                const float error = token < live ? y[n][output] - (answer ? 1.f : 0.f) : 0.f;
                y[n][output] = error * weight;
                loss = fmaf(error, y[n][output], loss);
                mine.e[token][output] = y[n][output];
            }
        }
        for (int f = 0; f < F; f++) {
            float4 back[T];
#pragma unroll
            for (int n = 0; n < T; n++) back[n] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++) {
                const float4 w = o[output * F + f];
#pragma unroll
                for (int n = 0; n < T; n++) {
                    back[n].x = fmaf(y[n][output], w.x, back[n].x);
                    back[n].y = fmaf(y[n][output], w.y, back[n].y);
                    back[n].z = fmaf(y[n][output], w.z, back[n].z);
                    back[n].w = fmaf(y[n][output], w.w, back[n].w);
                }
            }
#pragma unroll
            for (int n = 0; n < T; n++) mine.h[lane + 32 * n][f] = back[n];
        }
        __syncwarp();
        for (int i = lane; i < 32 * T * F; i += 32) {
            const int row = mine.row[i / F];
            if (row >= 0) ((float4*)(drive + (seed * tokens + row) * HS))[i % F] = mine.h[i / F][i % F];
        }
        for (int i = lane; i < 32 * T * OUTPUTS; i += 32) {
            const int row = mine.row[i / OUTPUTS];
            if (row >= 0) signal[(seed * tokens + row) * US + DIM + i % OUTPUTS] = mine.e[i / OUTPUTS][i % OUTPUTS];
        }
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) loss += __shfl_xor_sync(~0u, loss, apart);
    if (lane == 0) losses[(seed * chunks + chunk) * WARPS + threadIdx.x / 32] = 0.5f * loss;
}
