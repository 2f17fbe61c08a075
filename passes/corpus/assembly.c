int g(void) __asm__("h");
int f(int a) { int b; __asm__ volatile ("mov %1, %0" : "=r"(b), "+m"(a) : "r"(a), [x] "i"(1) : "cc", "memory"); return b; }
