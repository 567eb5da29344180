/* What a csmith program needs of string.h. */
extern int strcmp(const char *, const char *);
