int main(int argc, char **argv)
{
  __label__ here, there;
  int i = 0, *p = &i, a[3] = {1, 2, 3,};
  T t; T *u; T *v = 0, w[2]; T (*f)(int); const T x; static T y = {0};
  size_t n = sizeof i + sizeof(int) * sizeof *p + sizeof(a)[0] + _Alignof(long) + sizeof (int[3]) - sizeof "x";
  int nested(int k) { return k + i; }
  f(a); a; i * 2; (void) 0; ;
  if (i) i++; else if (p) --i; else { i = -i; }
  if (a) if (b) c(); else d();
  while (i < 10) { i += 2; continue; }
  do i--; while (i > 0 && i != 5 || !i);
  for (i = 0; i < 3; i++) ;
  for (int j = 0, k = 1; j <= k; ++j, --k) break;
  for (;;) goto here;
  switch (i) { case 1: case 2 ... 4: i = 1; break; default: ; }
here: __attribute__((unused))
  p = (int *) (char *) p + (unsigned char) ~i + (T) i + (T) { 1 }.x + (int) { 2 };
  i = (a)[1] + (a) - (i) * (i) & (i);
  i = i ? i : 3, i ?: 4;
  i <<= 1; i >>= 2; i %= 3; i &= 4; i ^= 5; i |= 6; i *= 7; i /= 8; i -= 9;
  i = ({ int tmp = i; tmp + 1; });
  p->x.y[2](1, 2)++;
  i = __extension__ (int) 4 + __real__ z + 0x1.8p3f + 1e-5L + 'a' + L'\0' + 0b101 + 077ull + .5;
  void *label = &&there; goto *label;
there:
  __asm__ volatile ("mov %0, %1" : "=r" (i), [out] "+m" (*p) : "r" (i), "0" (n) : "memory", "cc");
  asm goto ("jmp %l0" : : : : there);
  __asm__ ("nop");
  i = _Generic(i, int: 1, T *: 2, default: 3);
  i = __builtin_va_arg(ap, T *) + __builtin_offsetof(struct s, a.b[2].c) + __builtin_types_compatible_p(int, T);
  i = a == b && c != d || e <= f | g ^ h & j;
  *&i = (*handler)(i), (i);
  return (int) sizeof (struct { int z; });
}
