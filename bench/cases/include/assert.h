/* A csmith program asserts nothing of its own. */
#define assert(condition) ((void)0)
