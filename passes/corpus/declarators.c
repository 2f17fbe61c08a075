struct { int a : 3, : 0, b[2]; struct { union { int c; float d; }; } e; } s = { .a = 1, .e = { .c = 2 }, };
enum E { A, B = A + 1, C, }; typedef int (*fn)(int, ...), arr[2][3];
static const volatile unsigned long int *const p, **q = &p, m[] = { 1, [1] = 2, [2 ... 3] = 4 };
int (*(*h(void))(int))[3]; _Static_assert(sizeof(int) == 4, "int");
void k(int n, int v[static n], int w[*], register int *restrict r) __attribute__((noinline, aligned(8)));
struct S; struct S { int a; } __attribute__((packed)) t = (struct S){ 1 }; int z = (int)(char)-1, y;
