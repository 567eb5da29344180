/* Odd corners of C, for tests that cut it to pieces. */
#include <stdio.h>
#include "local.h"
#define SQUARE(x) ((x) * (x))
#define LOG(...) fprintf(stderr, __VA_ARGS__)
#ifdef DEBUG
int debug = 1;
#elif defined(TRACE) && TRACE > 1
int debug = 2;
#else
int debug;
#endif

typedef unsigned long long size, *sizes;
typedef int (*callback)(void *, const char[static 3], ...);
extern const volatile int counters[][4];
static inline int plus(int a, int b) { return a + b; }
struct point { int x, y : 3; struct { double re, im; } inner[2]; union { int i; float f; }; };
enum color { RED, GREEN = 1 << 3, BLUE = GREEN | 1, };
enum { ANONYMOUS = 'a' };
struct point origin = { .x = 1, .inner[1].re = 2.5e-3, .inner = { [0] = { 1, 2 } } };
int table[] = { 1, 2, [5] = 7, 0x1fUL, 010, 'b', L'c' };
char text[] = "one " "two\n" "three \"four\"";
int (*(*functions[3])(int))[5];
void old();
_Static_assert(sizeof(int) == 4, "int");

static int walk(struct point *p, int n, char *argv[restrict]) {
    register int i = 0, *q = &p->x, (*r)[2] = (int (*)[2]) q;
    for (int j = 0, k = n; j < k && !p[j].y; ++j, k--) {
        if (j % 2) continue;
        else if (k == 3) break;
        else { i += *q++ ? -j : ~k; }
    }
    for (;;) { if (i) goto done; }
    do { i = i > 3 ? i << 1 : (i, n); } while (i-- > 0);
    while (n) switch (n) {
        case 0: case 1 ... 3:
            n = sizeof(struct point) + sizeof n;
            break;
        default: { return plus(SQUARE(n), (int) 3.0f); }
    }
    ((void) 0);
    p->inner[0].re = (double) (i & 1 | 2 ^ 3);
    *(volatile int *) &p->x = (struct point){ .x = 1 }.x;
    (*functions[0])(1);
    LOG("%d %s\n", i, argv[0]);
    if (((((i)))))
        ;
#if 1
    { { { n = n; } } }
#endif
done:
    return !!i != 0 || n <= 3 && (p != 0) * -1;
}

int old_style(a, b) int a; char *b; { return a; }

int main(int argc, char **argv) {
    __attribute__((unused)) int unused;
    asm("nop");
    return walk(&origin, argc, argv) == 0;
}
