# 1 "sample.c"
#pragma once
typedef unsigned long size_t;
typedef struct node { struct node *next; int value : 3, : 5; } node_t, *node_ptr;
struct empty { };
union u { int i; float f; struct { short a, b; }; ; };
enum color { RED, GREEN = 1 << 2, BLUE __attribute__((unused)) = 7, };
enum color paint;
extern int printf (const char *__restrict __format, ...) __attribute__ ((__format__ (__printf__, 1, 2)));
extern double strtod (const char *s, char **end) __asm__ ("" "strtod") __attribute__ ((__nothrow__ , __leaf__));
static inline __attribute__((always_inline)) int add(int a, int b) { return a + b; }
__extension__ typedef long long int64;
static const unsigned char table[2][3] = { { 1, 2, 3 }, { [2] = 4, [0 ... 1] = 5 } };
static struct node list = { .next = 0, value: 4 };
int (*handler)(int, void (*)(void)), *pointer, array[10][sizeof(int) * 2];
int (isalpha)(int);
void (*signal(int sig, void (*func)(int)))(int);
_Thread_local int counter;
__thread volatile int other;
_Noreturn void leave(void);
_Alignas(16) char buffer[64];
_Alignas(long double) char more[64];
_Static_assert(sizeof(int) == 4, "int " "is 4");
typedef __typeof__(sizeof(0)) another;
typedef int vector __attribute__((vector_size(16)));
typedef int (*compare)(const void *, const void *);
_Atomic(int) atomic;
_Complex double z;
unsigned __int128 wide;
_Float128 quad;
__builtin_va_list arguments;
int register_keeping(register int x, int y[static 3], int z[*], size_t, node_t *const, char *argv[]);
size_t length(const char *s);
node_t *make(void), *unmake(node_t *);
T (*callback)(T, T *);
asm (".globl x");
;
int old_style(a, b, p) register int a; long b; struct node *p; { return a; }
typeof(int *) typed;
int empty_parameters();
struct __attribute__((packed)) packed { char c; int i; } __attribute__((aligned(4)));
const char *text = "a" L"b" u8"c" "\x41\n\"";
