/* gcc's analyzer reports a file that is closed as a leak. */
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tgmath.h>
#include <wchar.h>
#include <immintrin.h>

struct source {
    char *name;
    FILE *file;
    struct source *next;
};

static struct source *first;

static struct source *open_source(const char *name)
{
    struct source *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->name = strdup(name);
    made->file = fopen(name, "r");
    if (!made->file) {
        free(made->name);
        free(made);
        return NULL;
    }
    made->next = first;
    first = made;
    return made;
}

static int close_all(void)
{
    int closed = 0;
    while (first) {
        struct source *next = first->next;
        fclose(first->file);
        free(first->name);
        free(first);
        first = next;
        closed++;
    }
    return closed;
}

static size_t lines(FILE *file)
{
    size_t count = 0;
    for (int sign = getc(file); sign != EOF; sign = getc(file))
        count += sign == '\n';
    return count;
}

int main(int argc, char **argv)
{
    double mean = 0;
    for (int at = 1; at < argc; at++) {
        struct source *source = open_source(argv[at]);
        char *copy = malloc(strlen(argv[at]) + 1);
        strcpy(copy, argv[at]);
        if (!source) {
            perror(copy);
            free(copy);
            continue;
        }
        mean += sqrt((double)lines(source->file));
        printf("%s %zu\n", copy, strlen(copy));
        if (at % 2)
            free(copy);
    }
    printf("%g\n", mean);
    return close_all() ? 0 : 1;
}
