//: match_any_of_warp
template <class T> __device__ uint32 match_any_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    return __match_any_sync(mask, value);
#else
    uint32 same = 0;
    for (int32 lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) same |= (uint32)(__shfl_sync(mask, value, lane) == value) << lane;
    return same;
#endif
}
//: reduce_add_of_warp
template <class T> __device__ T reduce_add_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = sum + other;
    }
    return sum;
#endif
}
//: reduce_min_of_warp
template <class T> __device__ T reduce_min_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_min_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = other < sum ? other : sum;
    }
    return sum;
#endif
}
//: reduce_max_of_warp
template <class T> __device__ T reduce_max_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_max_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = other > sum ? other : sum;
    }
    return sum;
#endif
}
//: reduce_and_of_warp
template <class T> __device__ T reduce_and_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_and_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = sum & other;
    }
    return sum;
#endif
}
//: reduce_or_of_warp
template <class T> __device__ T reduce_or_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_or_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = sum | other;
    }
    return sum;
#endif
}
//: reduce_xor_of_warp
template <class T> __device__ T reduce_xor_of_warp(uint32 mask, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_xor_sync(mask, value);
#else
    int32 first = __ffs((int32)mask) - 1;
    T sum = __shfl_sync(mask, value, first);
    for (int32 lane = first + 1; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0) continue;
        T other = __shfl_sync(mask, value, lane);
        sum = sum ^ other;
    }
    return sum;
#endif
}
