/* What a csmith program needs of math.h. */
extern float ldexpf(float, int);
extern double ldexp(double, int);
extern double fabs(double);
extern float fabsf(float);
