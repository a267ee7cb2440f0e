// What the blocks of a cluster say to each other: entries sent into each other's shared memory by asynchronous stores
// that count down a barrier at the receiver.
//
// DFST_C: blocks of a cluster. With one block there is nobody to talk to, and none of this needs Hopper.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

// Of shared memory, as the instructions below want it.
__device__ __forceinline__ u32 address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// The same place in another block.
__device__ __forceinline__ u32 remote(u32 local, u32 block) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(block));
    return there;
}

__device__ __forceinline__ void send(u32 to, float value, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
                 :: "r"(to), "f"(value), "r"(barrier) : "memory");
}

__device__ __forceinline__ void send(u32 to, u32 value, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 :: "r"(to), "r"(value), "r"(barrier) : "memory");
}

__device__ __forceinline__ void send(u32 to, u64 value, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                 :: "r"(to), "l"(value), "r"(barrier) : "memory");
}

// Two barriers, for the messages of even and of odd steps. By one thread, before `cluster_sync`.
__device__ __forceinline__ void make_barriers(const u64* both, u32 arrivals) {
    for (int i = 0; i < 2; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(address(both + i)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
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

// All threads of all blocks; each warp must be in one piece.
__device__ __forceinline__ void cluster_sync() {
    if constexpr (DFST_C == 1) __syncthreads();
    else asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ u32 rank_in_cluster() {
    u32 rank = 0;
    if constexpr (DFST_C > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
