f(a, b) int a; char *b; { return a + *b; }
static x;
main() { register i; for (i = 0; i < 3; i++) f(i, "s"); }
