// The read-out of gpu_kernels.readout_kernel, a thread a token:
//
//     e = (O h − target) / (T b)      drive = Oᵀ e      loss += (T b) ‖e‖² / 2      O = [B; C] of the symbol read
//
// A block takes a chunk, tokens that read one symbol: O lies in shared memory once and every word of it read serves 32
// tokens. Each warp has 32 tokens, whose h it fetches row by row and whose drive it writes row by row, through shared
// memory, so that device memory sees whole lines. Sums run in order: over the columns, over the outputs.
//
// Compile-time, as macros: DFST_SYMBOLS, DFST_MOTIONS, DFST_DIM, DFST_HS and DFST_US (strides of hidden and signal),
// DFST_CHUNK, DFST_SIZE (parameters of a seed).

typedef unsigned int u32;

constexpr int SYMBOLS = DFST_SYMBOLS, MOTIONS = DFST_MOTIONS, DIM = DFST_DIM, HS = DFST_HS, US = DFST_US;
constexpr int CHUNK = DFST_CHUNK, OUTPUTS = SYMBOLS + MOTIONS;
constexpr int F = (DIM + 3) / 4;                 // float4s that hold a row
constexpr int ROW = F | 1;                       // float4s from a token to the next: odd, so that no banks collide
constexpr int E = OUTPUTS | 1;                   // the same for errors, in floats
constexpr int WARPS = CHUNK / 32;

struct Tokens {                                  // a warp's
    float4 h[32][ROW];                           // then drive
    float e[32][E];
    int row[32];
};

extern "C" __global__ void __launch_bounds__(CHUNK)
readout(const float* theta, const float* hidden, const int* rows, const int* marks, const float* weights,
        const int* first_chunk, const int* totals, float* signal, float* drive, float* losses, long long tokens,
        int chunks) {
    extern __shared__ __align__(128) unsigned char memory[];
    float4* o = (float4*)memory;                 // (OUTPUTS, F)
    Tokens& mine = ((Tokens*)(o + OUTPUTS * F))[threadIdx.x / 32];
    const int lane = threadIdx.x % 32, chunk = blockIdx.x % chunks;
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
        const bool live = (int)threadIdx.x < totals[seed * SYMBOLS + symbol] - within * CHUNK;
        const long long at = (seed * chunks + chunk) * CHUNK + threadIdx.x;
        const int mark = live ? marks[at] : 0;
        const float weight = live ? weights[at] : 0.f;
        mine.row[lane] = live ? rows[at] : -1;
        const float* B = theta + seed * DFST_SIZE + SYMBOLS * DIM * DIM + symbol * (SYMBOLS * DIM);
        const float* C = theta + seed * DFST_SIZE + SYMBOLS * DIM * (DIM + SYMBOLS) + symbol * (MOTIONS * DIM);
        for (int i = threadIdx.x; i < OUTPUTS * F * 4; i += CHUNK) {
            const int output = i / (F * 4), column = i % (F * 4);
            const float* from = output < SYMBOLS ? B + output * DIM : C + (output - SYMBOLS) * DIM;
            ((float*)o)[i] = column < DIM ? from[column] : 0.f;
        }
        __syncwarp();
        for (int i = lane; i < 32 * F; i += 32) {
            const int row = mine.row[i / F];
            if (row >= 0) mine.h[i / F][i % F] = ((const float4*)(hidden + (seed * tokens + row) * HS))[i % F];
        }
        __syncthreads();

        float y[OUTPUTS];
#pragma unroll
        for (int output = 0; output < OUTPUTS; output++) y[output] = 0.f;
        for (int f = 0; f < F; f++) {
            const float4 h = mine.h[lane][f];
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++) {
                const float4 w = o[output * F + f];
                y[output] = fmaf(w.w, h.w, fmaf(w.z, h.z, fmaf(w.y, h.y, fmaf(w.x, h.x, y[output]))));
            }
        }
#pragma unroll
        for (int output = 0; output < OUTPUTS; output++) {
            const bool answer = output < SYMBOLS ? output == (mark & 255) : output - SYMBOLS == mark >> 8;
            const float error = live ? y[output] - (answer ? 1.f : 0.f) : 0.f;
            y[output] = error * weight;
            loss = fmaf(error, y[output], loss);
            mine.e[lane][output] = y[output];
        }
        for (int f = 0; f < F; f++) {
            float4 back = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++) {
                const float4 w = o[output * F + f];
                back.x = fmaf(y[output], w.x, back.x);
                back.y = fmaf(y[output], w.y, back.y);
                back.z = fmaf(y[output], w.z, back.z);
                back.w = fmaf(y[output], w.w, back.w);
            }
            mine.h[lane][f] = back;
        }
        __syncwarp();
        for (int i = lane; i < 32 * F; i += 32) {
            const int row = mine.row[i / F];
            if (row >= 0) ((float4*)(drive + (seed * tokens + row) * HS))[i % F] = mine.h[i / F][i % F];
        }
        for (int i = lane; i < 32 * OUTPUTS; i += 32) {
            const int row = mine.row[i / OUTPUTS];
            if (row >= 0) signal[(seed * tokens + row) * US + DIM + i % OUTPUTS] = mine.e[i / OUTPUTS][i % OUTPUTS];
        }
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) loss += __shfl_xor_sync(~0u, loss, apart);
    if (lane == 0) losses[(seed * chunks + chunk) * WARPS + threadIdx.x / 32] = 0.5f * loss;
}
