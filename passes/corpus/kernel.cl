// --atomics 68 -g 30,36,3 -l 1,2,3
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* a kernel */
typedef struct { volatile int4 v; uchar s[3]; } S __attribute__((aligned(16)));
__constant int table[3] = { 1, 2, 3 };
int help(__private S *s, global const int *restrict g) { return s->v.s0 + s->v.xy.x + g[get_global_id(0)]; }
__attribute__((reqd_work_group_size(1, 2, 3)))
__kernel void entry(__global ulong *result, __global int *input, __local int *scratch, read_only image2d_t image) {
  __local int shared[16]; S s = { (int4)(1, 2, 3, 4), { 0 } };
  int8 w = (int8)((int4)(1), s.v); float2 f = convert_float2(w.lo.xy);
  if (get_local_id(0) == 0) { shared[0] = mad_sat(1, -1, 0); }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_add(&shared[0], help(&s, input));
  for (int i = 0; i < 3; i++) { scratch[i] = table[i] + shared[0]; if (i) continue; }
  result[get_linear_global_id()] = as_uint(f.x) + scratch[0];
}
