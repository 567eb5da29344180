/* An intrinsic in a function that is compiled for a processor without it. */
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    float *values;
    size_t count;
    float sum;
};

static float horizontal(__m128 four)
{
    __m128 high = _mm_movehl_ps(four, four);
    __m128 two = _mm_add_ps(four, high);
    __m128 one = _mm_shuffle_ps(two, two, 1);
    return _mm_cvtss_f32(_mm_add_ss(two, one));
}

static float total(const float *values, size_t count)
{
    __m256 sum = _mm256_setzero_ps();
    size_t at = 0;
    for (; at + 8 <= count; at += 8)
        sum = _mm256_add_ps(sum, _mm256_loadu_ps(values + at));
    float rest = horizontal(_mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)));
    for (; at < count; at++)
        rest += values[at];
    return rest;
}

static void *run(void *given)
{
    struct job *job = given;
    job->sum = total(job->values, job->count);
    return NULL;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    float *values = malloc(count * sizeof *values);
    if (!values)
        return 1;
    for (size_t at = 0; at < count; at++)
        values[at] = sqrtf((float)at);
    struct job job = {values, count, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &job) == 0)
        pthread_join(thread, NULL);
    printf("%g\n", job.sum);
    free(values);
    return 0;
}
