/* A ring buffer of integers, with a self test. */
#include <stdio.h>
#include "ring.h"
#define CAPACITY 16
#define NEXT(i) \
    (((i) + 1) % CAPACITY)
#ifdef DEBUG
#  define LOG(...) fprintf(stderr, __VA_ARGS__)
#else
#  define LOG(...)
#endif

typedef struct ring { int items[CAPACITY]; unsigned head, tail; } ring_t;

static int push(ring_t *r, int value)  // returns 0 when full
{
    if (NEXT(r->head) == r->tail) return 0;
    r->items[r->head] = value, r->head = NEXT(r->head);
    return 1;
}

int main(int argc, char **argv) {
    ring_t ring = { .head = 0, .tail = 0 };
    const char *name = "ring" " buffer\n";
    for (int i = 0; i < 40; i++) {
        if (!push(&ring, i * i - -i)) { LOG("full at %d\n", i); break; }
        else if (i == 'x') continue;
    }
    do { ring.tail++; } while (ring.tail & 1);
    switch (argc) { case 1: printf("%s", name); break; default: return argc > 2 ? 2 : 1; }
    return 0;
}
