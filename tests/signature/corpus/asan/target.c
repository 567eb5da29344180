/* A small machine with a stack of numbers, with a mistake in every other function: a target for
 * the sanitizers. It reads a file of commands, one a line. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    int *numbers;
    int count, room;
    char *title;
    void *kept;
};

static void push(struct machine *m, int number) {
    if (m->count == m->room) {
        m->room = m->room ? 2 * m->room : 4;
        m->numbers = realloc(m->numbers, m->room * sizeof *m->numbers);
    }
    m->numbers[m->count++] = number;
}

static int pop(struct machine *m) { return m->numbers[--m->count]; }

static int take(struct machine *m, int at) { return m->numbers[at]; }

static void fill(struct machine *m, int many) { memset(m->numbers, 0, many * sizeof *m->numbers); }

static void label(const char *text) {
    char copy[16];
    strcpy(copy, text);
    printf("label %s\n", copy);
}

static void title(struct machine *m, const char *text) {
    free(m->title);
    m->title = strdup(text);
}

static void drop(struct machine *m) { free(m->title); }

static void show(struct machine *m) { printf("title %c\n", m->title[0]); }

static void keep(struct machine *m, int size) { m->kept = malloc(size); }

static void hold(struct machine *m) { m->kept = strdup("held"); }

static int guess(int number) {
    int answer[2];
    if (number > 3) answer[0] = number;
    return answer[0];
}

static void choose(int number) {
    if (guess(number)) puts("chosen");
}

static void branch(int number) {
    if (guess(number) > 7) puts("branched");
}

static void jump(struct machine *m, int far) {
    int *where = far ? (int *)(long)far : m->numbers;
    *where = 1;
}

static int share(int whole, int parts) { return whole / parts; }

static void check(struct machine *m, int number) {
    assert(number > 0);
    assert(m->count < 100);
}

int main(int argc, char **argv) {
    struct machine m = {0};
    char line[256], word[64], text[128];
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    if (!file) return 2;
    while (fgets(line, sizeof line, file)) {
        int number = 0, other = 0;
        if (sscanf(line, "%63s %d %d", word, &number, &other) < 1 || word[0] == '#') continue;
        if (sscanf(line, "%*s %127[^\n]", text) < 1) text[0] = 0;
        if (!strcmp(word, "push")) push(&m, number);
        else if (!strcmp(word, "pop")) printf("pop %d\n", pop(&m));
        else if (!strcmp(word, "take")) printf("take %d\n", take(&m, number));
        else if (!strcmp(word, "fill")) fill(&m, number);
        else if (!strcmp(word, "label")) label(text);
        else if (!strcmp(word, "title")) title(&m, text);
        else if (!strcmp(word, "drop")) drop(&m);
        else if (!strcmp(word, "show")) show(&m);
        else if (!strcmp(word, "keep")) keep(&m, number);
        else if (!strcmp(word, "hold")) hold(&m);
        else if (!strcmp(word, "choose")) choose(number);
        else if (!strcmp(word, "branch")) branch(number);
        else if (!strcmp(word, "jump")) jump(&m, number);
        else if (!strcmp(word, "share")) printf("share %d\n", share(number, other));
        else if (!strcmp(word, "check")) check(&m, number);
        else if (!strcmp(word, "halt")) abort();
        else { fprintf(stderr, "line: unknown word %s\n", word); return 1; }
    }
    fclose(file);
    free(m.numbers);
    return 0;
}
