#define EMPTY
#define SELF SELF + 1
#define F(x, y) ((x) * (y))
#define G(x...) x
#define STR(x) #x
#define TWO 1 + 1
#define BODY { return F(1, 2); }
#ifdef SELF
int a = F(F(1, 2), TWO) EMPTY;
# if TWO > 1 && defined(EMPTY)
int b = G(1);
# elif 0
int c[TWO];
# else
char *s = STR(a b);
# endif
#endif
int f(void) BODY
#undef TWO
