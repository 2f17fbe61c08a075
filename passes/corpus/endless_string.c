char *s = "never ends;
char c = 'a;
int x = f("a\