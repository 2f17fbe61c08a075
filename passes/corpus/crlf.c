/* a */
#define A 1 \
  + 2
int x = A; // b
void f(void) {
  x = 2;
}
