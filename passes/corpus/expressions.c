int f(int *p, struct s { int a; struct s *n; } *q) {
  p[0] = p[1] += *p++ - --*p; q->n->a = (*q).a; (p)[2] = !p ? ~-1 : sizeof p + sizeof(int) * _Alignof(int);
  return (f(p, q), f((p), &*q)) << 2 >> 1 & 3 | 4 ^ 5 && 6 || 0x7fUL + 'a' + L'b' + 1.5e-3f + .5 + 077 + "s" "t"[0];
}
