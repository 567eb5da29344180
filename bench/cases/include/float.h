/* What a csmith program needs of float.h, for IEEE numbers. */
#define FLT_MIN 0x1p-126f
#define FLT_MAX 0x1.fffffep+127f
#define DBL_MIN 0x1p-1022
#define DBL_MAX 0x1.fffffffffffffp+1023
