// ---- cooperative_groups.h: groups of threads by name ----

#pragma clang force_cuda_host_device begin
void clreduce_grid_sync();
namespace cooperative_groups {
static inline unsigned clreduce_rank()
{ return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
static inline unsigned clreduce_threads() { return blockDim.x * blockDim.y * blockDim.z; }
struct thread_block {
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return clreduce_rank(); }
    static unsigned size() { return clreduce_threads(); }
    static unsigned num_threads() { return clreduce_threads(); }
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static dim3 dim_threads() { return group_dim(); }
};
static inline thread_block this_thread_block() { return thread_block(); }
struct grid_group {
    // Blocks run one after another here: they cannot wait for each other.
    static void sync() { clreduce_grid_sync(); }
    static bool is_valid() { return true; }
    static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank()
    { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    static unsigned long long size() { return num_blocks() * clreduce_threads(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() { return block_rank() * clreduce_threads() + clreduce_rank(); }
    static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static dim3 dim_blocks() { return group_dim(); }
    static dim3 block_index() { return dim3(blockIdx); }
};
static inline grid_group this_grid() { return grid_group(); }
// A tile is a part of a warp whose size is a power of two.
template <unsigned N, class Parent = void> struct thread_block_tile {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile of more than a warp is not known");
    thread_block_tile() = default;
    template <class Other> thread_block_tile(const thread_block_tile<N, Other> &) {}
    static unsigned first_lane() { return clreduce_rank() % 32 / N * N; }
    static unsigned mask() { return (0xffffffffu >> (32 - N)) << first_lane(); }
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    static unsigned thread_rank() { return clreduce_rank() % N; }
    static unsigned meta_group_rank() { return clreduce_rank() / N; }
    static unsigned meta_group_size() { return (clreduce_threads() + N - 1) / N; }
    static void sync() { __syncwarp(mask()); }
    template <class T> static T shfl(T value, int from) { return __shfl_sync(mask(), value, from, N); }
    template <class T> static T shfl_up(T value, unsigned by) { return __shfl_up_sync(mask(), value, by, N); }
    template <class T> static T shfl_down(T value, unsigned by) { return __shfl_down_sync(mask(), value, by, N); }
    template <class T> static T shfl_xor(T value, unsigned by) { return __shfl_xor_sync(mask(), value, (int)by, N); }
    static int any(int value) { return __any_sync(mask(), value); }
    static int all(int value) { return __all_sync(mask(), value); }
    static unsigned ballot(int value) { return __ballot_sync(mask(), value) >> first_lane(); }
    template <class T> static unsigned match_any(T value) { return __match_any_sync(mask(), value) >> first_lane(); }
};
template <unsigned N, class G> static inline thread_block_tile<N, G> tiled_partition(const G &) { return {}; }
// The threads that came to a place together; a rank counts those before in the warp.
struct coalesced_group {
    unsigned mask;
    unsigned num_threads() const { return (unsigned)__popc(mask); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return (unsigned)__popc(mask & ((1u << clreduce_rank() % 32) - 1)); }
    void sync() const { __syncwarp(mask); }
    unsigned lane(unsigned rank) const
    {
        for (unsigned lane = 0; lane < 32; lane++)
            if (mask >> lane & 1 && rank-- == 0)
                return lane;
        return 0;
    }
    template <class T> T shfl(T value, int from) const { return __shfl_sync(mask, value, (int)lane((unsigned)from)); }
    template <class T> T shfl_up(T value, unsigned by) const
    { return __shfl_sync(mask, value, (int)lane(thread_rank() >= by ? thread_rank() - by : thread_rank())); }
    template <class T> T shfl_down(T value, unsigned by) const
    { return __shfl_sync(mask, value, (int)lane(thread_rank() + by < size() ? thread_rank() + by : thread_rank())); }
    int any(int value) const { return __any_sync(mask, value); }
    int all(int value) const { return __all_sync(mask, value); }
};
static inline coalesced_group coalesced_threads() { return {__activemask()}; }
// Any of these: a block, or some threads of a warp.
struct thread_group {
    bool is_block;
    coalesced_group threads;
    thread_group(unsigned mask) : is_block(false), threads{mask} {}
    thread_group(const thread_block &) : is_block(true), threads{0} {}
    thread_group(const coalesced_group &group) : is_block(false), threads(group) {}
    template <unsigned N, class P> thread_group(const thread_block_tile<N, P> &tile) : thread_group(tile.mask()) {}
    void sync() const { is_block ? __syncthreads() : threads.sync(); }
    unsigned size() const { return is_block ? clreduce_threads() : threads.size(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return is_block ? clreduce_rank() : threads.thread_rank(); }
};
static inline thread_group tiled_partition(const thread_group &, unsigned size)
{ return thread_group((0xffffffffu >> (32 - size)) << clreduce_rank() % 32 / size * size); }
template <class G> static inline void sync(const G &group) { group.sync(); }
template <class G> static inline auto thread_rank(const G &group) { return group.thread_rank(); }
template <class G> static inline auto group_size(const G &group) { return group.size(); }
// cooperative_groups/reduce.h
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <unsigned N, class P, class T, class F> static inline T reduce(const thread_block_tile<N, P> &tile, T value, F both)
{
    for (unsigned by = N / 2; by > 0; by /= 2)
        value = both(value, tile.shfl_xor(value, by));
    return value;
}
}
#pragma clang force_cuda_host_device end
