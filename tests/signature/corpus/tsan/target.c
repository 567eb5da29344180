/* Clerks of a shop, each a thread, who share more than they should: a target for ThreadSanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int total, sold;
static char *note;

static void *add(void *many) {
    for (long n = 0; n < (long)many; n++) total += 1;
    return NULL;
}

static void *sell(void *many) {
    pthread_mutex_lock(&first);
    sold += (int)(long)many;
    pthread_mutex_unlock(&first);
    return NULL;
}

static void *peek(void *many) {
    if (sold > (long)many) puts("sold");
    return NULL;
}

static void *write_note(void *many) {
    note[(long)many] = 'x';
    return NULL;
}

static void forward(void) {
    pthread_mutex_lock(&first), pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second), pthread_mutex_unlock(&first);
}

static void backward(void) {
    pthread_mutex_lock(&second), pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first), pthread_mutex_unlock(&second);
}

static void together(void *(*left)(void *), void *(*right)(void *), long many) {
    pthread_t one, two;
    pthread_create(&one, NULL, left, (void *)many);
    pthread_create(&two, NULL, right, (void *)many);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

int main(int argc, char **argv) {
    char line[200], word[64];
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    if (!file) return 2;
    while (fgets(line, sizeof line, file)) {
        long many = 0;
        if (sscanf(line, "%63s %ld", word, &many) < 1) continue;
        if (!strcmp(word, "add")) together(add, add, many);
        else if (!strcmp(word, "sell")) together(sell, sell, many);
        else if (!strcmp(word, "peek")) together(sell, peek, many);
        else if (!strcmp(word, "note")) {
            note = calloc(16, 1);
            together(write_note, write_note, many);
            free(note);
        }
        else if (!strcmp(word, "forward")) forward();
        else if (!strcmp(word, "backward")) backward();
        else if (!strcmp(word, "unlock")) pthread_mutex_unlock(&second);
    }
    return 0;
}
