/* What a csmith program needs of limits.h, for any compiler with a 32-bit int. */
#define CHAR_BIT 8
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
