//: tile_product
// Without tensor cores: the work-items put their words into shared memory. Each computes its sums from those of its warp.
template <class A, class B, int rows, int depth> __device__ void tile_product(int32 *sums, const uint32 *a, const uint32 *b) {
    __shared__ uint32 words[64][6];
    int32 lid = (int32)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x), lane = lid & 31;
    __syncthreads();
    for (int i = 0; i < rows * depth / 128; i++) words[lid][i] = a[i];
    for (int i = 0; i < depth / 16; i++) words[lid][4 + i] = b[i];
    __syncthreads();
    const uint32 (*warp)[6] = words + (lid - lane);
    for (int i = 0; i < rows / 4; i++) {
        int row = lane / 4, column = lane % 4 * 2 + i % 2;
        for (int k = 0; k < depth; k++) {
            int at = k % 16 / 4, by = k % 4 * 8;
            A x = (A)(warp[row * 4 + at][i / 2 + k / 16 * 2] >> by);
            B y = (B)(warp[column * 4 + at][4 + k / 16] >> by);
            sums[i] = (int32)((uint32)sums[i] + (uint32)(x * y));
        }
    }
}
//: mma_m8n8k16
template <class A, class B> __device__ void mma_m8n8k16(int32 &c0, int32 &c1, uint32 a0, uint32 b0) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 750
#define MMA(a, b) asm volatile("mma.sync.aligned.m8n8k16.row.col.s32." a "." b ".s32 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(c0), "+r"(c1) : "r"(a0), "r"(b0))
    const bool is_signed = A(-1) < A(0), by_signed = B(-1) < B(0);
    if (is_signed && by_signed) MMA("s8", "s8");
    else if (is_signed) MMA("s8", "u8");
    else if (by_signed) MMA("u8", "s8");
    else MMA("u8", "u8");
#undef MMA
#else
    int32 c[] = {c0, c1};
    tile_product<A, B, 8, 16>(c, &a0, &b0);
    c0 = c[0], c1 = c[1];
#endif
}
//: mma_m16n8k32
template <class A, class B> __device__ void mma_m16n8k32(int32 &c0, int32 &c1, int32 &c2, int32 &c3, uint32 a0, uint32 a1, uint32 a2, uint32 a3, uint32 b0, uint32 b1) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#define MMA(a, b) asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." a "." b ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
    : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
    const bool is_signed = A(-1) < A(0), by_signed = B(-1) < B(0);
    if (is_signed && by_signed) MMA("s8", "s8");
    else if (is_signed) MMA("s8", "u8");
    else if (by_signed) MMA("u8", "s8");
    else MMA("u8", "u8");
#undef MMA
#else
    int32 c[] = {c0, c1, c2, c3};
    uint32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
    tile_product<A, B, 16, 32>(c, a, b);
    c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
#endif
}
