int f(int a) {
  switch (a) { case 1: case 2: a++; break; { case 3: ; } default: return 1; }
  switch (a) case 4: a--;
  if (a) if (a > 1) a = 1; else a = 2; else { goto end; }
  do { if (a) continue; while (a) break; } while (a--);
  for (int i = 0, j = 1; i < j; i++, j--) for (;;) { break; }
  for (a = 0; ; ) ;
  while (({ int x = a; x; })) {}
  start: end: ;
  return a ? a, 1 : ({ a; });
}
