# 1 "main.c"
# 1 "a.h" 1 3 4
typedef unsigned long size_t;
extern int printf(const char *, ...);
# 2 "main.c" 2
#line 7 "other.c"
int main(void) { return printf("%d\n", (int)sizeof(size_t)); }
