// --atomics 3 ---emi ---inter_thread_comm -g 4,2 -l 2,1
typedef int4 V; __constant uint t[2][2] = {{1, 2}, {3}};
struct S { V v; __local long16 *p; image2d_t i; struct { uint2 w[2]; } u; };
V g(V a, long16 *b, read_only image2d_t i) { vstore4(a, 0, (int *)b); return clamp(a, 1, convert_int4(read_imagei(i, 0, a.xy))); }
__kernel void entry(__global ulong *r, __global uint *a, __global uint *s, __global int *e, __global long *c) {
    __local long16 l; struct S x = { (V)((int2)(1, 2), a[0], 3), &l, .u = { { (uint2)(1) } } };
    x.v.s01 = x.v.hi; x.p->s0f = (long2)(atomic_add(&a[1], 2), as_uint2(x.v.x).y); x.v += vload4(0, e) < x.v.wzyx.yyxx;
    if ((e[3] < e[1])) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); x.v = g(x.v, 0, x.i); }
    r[get_global_id(0)] = mad24(x.v.s3, (int)t[1][0], x.u.w[1].y) + (x.v ? x.v : 0).x;
}
