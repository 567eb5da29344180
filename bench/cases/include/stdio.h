/* What a csmith program needs of stdio.h. */
extern int printf(const char *, ...);
