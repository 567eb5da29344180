/* jot: reads configuration in a language between JSON and TOML, and answers questions about it.
 *
 *   [server]            # a section
 *   port = 80           names = ["a", 'b']     limits = { cpu: 2, mem: 0x10 }
 *   base = &server      # refers to a section      ? server.names.0     # prints a value
 *   @merge server other   @count names   @range 1 5   @date 2024-02-30
 *
 * Written for bench/triage: bugs.toml puts realistic bugs into it.
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=0"; }

enum { NUMBER, TEXT, ARRAY, TABLE, REFERENCE };

typedef struct Node Node;
struct Node {
  int kind, count, room;
  long number;
  char *text;
  Node **items;
  char **keys;
};

static const char *at, *end;
static int depth;
static Node *root, *section;

static void refuse(const char *why) {
  fprintf(stderr, "error: syntax error: %s\n", why);
  exit(1);
}

static void complain(const char *why) {
  fprintf(stderr, "error: %s\n", why);
  exit(1);
}

static Node *node(int kind) {
  Node *n = calloc(1, sizeof(Node));
  n->kind = kind;
  return n;
}

static void put(Node *to, char *key, Node *value) {
  if (to->count == to->room) {
    to->room = to->room ? to->room * 2 : 2;
    to->items = realloc(to->items, to->room * sizeof(Node *));
    to->keys = realloc(to->keys, to->room * sizeof(char *));
  }
  to->items[to->count] = value;
  to->keys[to->count++] = key;
}

static Node *get(Node *from, const char *key) {
  for (int i = 0; i < from->count; i++)
    if (from->keys[i] && !strcmp(from->keys[i], key)) return from->items[i];
  return NULL;
}

/* -- words -------------------------------------------------------------------------------- */

static void blank(void) {
  for (;;) {
    while (at < end && isspace((unsigned char)*at)) at++;
    if (at < end && *at == '#')
      while (at < end && *at != '\n') at++;
    else
      return;
  }
}

static int takes(char mark) {
  blank();
  if (at >= end || *at != mark) return 0;
  at++;
  return 1;
}

static char *word(void) {
  blank();
  const char *start = at;
  while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '-')) at++;
  if (at == start) refuse("expected a name");
  char *copy = malloc(at - start + 1);
  memcpy(copy, start, at - start);
  copy[at - start] = 0;
  return copy;
}

static int hex(int c) {
  if (isdigit(c)) return c - '0';
  c = tolower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *quoted(char quote) {
  char *buffer = malloc(16);
  int room = 16, n = 0;
  while (at < end && *at != quote) {
    if (n + 4 >= room) buffer = realloc(buffer, room *= 2);
    if (*at == '\\' && quote == '"') {
      if (++at >= end) refuse("unterminated string");
      if (*at == 'u') {
        if (end - at < 5) refuse("unterminated string");
        int code = 0;
        for (int i = 1; i <= 4; i++) {
          int digit = hex((unsigned char)at[i]);
          if (digit < 0) refuse("invalid escape");
          code = code * 16 + digit;
        }
        at += 5;
        if (code < 0x80) buffer[n++] = code;
        else if (code < 0x800) { buffer[n++] = 0xc0 | code >> 6; buffer[n++] = 0x80 | (code & 63); }
        else { buffer[n++] = 0xe0 | code >> 12; buffer[n++] = 0x80 | (code >> 6 & 63); buffer[n++] = 0x80 | (code & 63); }
        continue;
      }
      buffer[n++] = *at == 'n' ? '\n' : *at;
      at++;
      continue;
    }
    buffer[n++] = *at++;
  }
  if (at >= end) refuse("unterminated string");
  at++;
  buffer[n] = 0;
  return buffer;
}

static Node *number(void) {
  Node *n = node(NUMBER);
  int negative = takes('-');
  char digits[24];
  int count = 0, base = 10;
  if (end - at > 2 && at[0] == '0' && at[1] == 'x') { base = 16; at += 2; }
  while (at < end && (hex((unsigned char)*at) >= 0 || *at == '_')) {
    if (base == 10 && !isdigit((unsigned char)*at) && *at != '_') break;
    if (count >= 18) refuse("a number is too long");
    if (*at != '_') digits[count++] = *at;
    at++;
  }
  digits[count] = 0;
  n->number = strtol(digits, NULL, base);
  if (negative) n->number = -n->number;
  if (takes('k')) n->number *= 1000;
  return n;
}

/* -- values ------------------------------------------------------------------------------- */

static Node *value(void);

static Node *array(void) {
  Node *n = node(ARRAY);
  while (!takes(']')) {
    put(n, NULL, value());
    blank();
    if (at < end && *at != ']' && !takes(',')) refuse("expected ',' or ']'");
    if (at >= end) refuse("unexpected end of file");
  }
  return n;
}

static Node *table(void) {
  Node *n = node(TABLE);
  while (!takes('}')) {
    char *key = word();
    if (!takes(':')) refuse("expected ':'");
    if (get(n, key)) complain("a key is there twice");
    put(n, key, value());
    blank();
    if (at < end && *at != '}' && !takes(',')) refuse("expected ',' or '}'");
    if (at >= end) refuse("unexpected end of file");
  }
  return n;
}

static Node *value(void) {
  if (++depth > 50) refuse("nested too deeply");
  Node *n;
  blank();
  if (at >= end) refuse("unexpected end of file");
  if (takes('"')) { n = node(TEXT); n->text = quoted('"'); }
  else if (takes('\'')) { n = node(TEXT); n->text = quoted('\''); }
  else if (takes('[')) n = array();
  else if (takes('{')) n = table();
  else if (takes('&')) { n = node(REFERENCE); n->text = word(); }
  else if (isdigit((unsigned char)*at) || *at == '-') n = number();
  else refuse("expected a value");
  depth--;
  return n;
}

static Node *resolved(Node *n, int steps) {
  while (n->kind == REFERENCE) {
    if (++steps > 20) complain("references go in a circle");
    Node *to = get(root, n->text);
    if (!to) complain("a reference to nothing");
    n = to;
  }
  return n;
}

static void show(Node *n, int nested) {
  if (nested > 60) complain("this cannot be shown");
  n = resolved(n, 0);
  if (n->kind == NUMBER) printf("%ld", n->number);
  if (n->kind == TEXT) printf("\"%s\"", n->text);
  if (n->kind == ARRAY || n->kind == TABLE)
    for (int i = 0; i < n->count; i++) {
      if (n->keys[i]) printf(" %s:", n->keys[i]);
      show(n->items[i], nested + 1);
    }
}

/* -- questions and commands --------------------------------------------------------------- */

static Node *path(void) {
  Node *n = root;
  do {
    char *key = word();
    n = resolved(n, 0);
    if (n->kind == TABLE) {
      n = get(n, key);
      if (!n) complain("nothing has this name");
    } else if (n->kind == ARRAY) {
      int i = atoi(key);
      if (i < 0 || i >= n->count) complain("index out of range");
      n = n->items[i];
    } else
      complain("only tables and arrays have parts");
  } while (takes('.'));
  return n;
}

static void merge(void) {
  char *to = word(), *from = word();
  Node *a = get(root, to), *b = get(root, from);
  if (!a || !b) complain("merge needs two sections");
  a = resolved(a, 0), b = resolved(b, 0);
  if (a->kind != TABLE || b->kind != TABLE) complain("merge needs two sections");
  if (a == b) return;
  for (int i = 0; i < b->count; i++)
    if (!get(a, b->keys[i])) put(a, b->keys[i], b->items[i]);
  printf("merged %d\n", a->count);
}

static void count(void) {
  Node *n = resolved(path(), 0);
  if (n->kind != ARRAY && n->kind != TABLE) complain("only arrays and tables can be counted");
  int numbers = 0;
  for (int i = 0; i < n->count; i++) numbers += resolved(n->items[i], 0)->kind == NUMBER;
  printf("%d, %d%% of them numbers\n", n->count, n->count ? numbers * 100 / n->count : 0);
}

static void range(void) {
  blank();
  long low = number()->number;
  blank();
  long high = number()->number;
  if (high < low || high - low > 1000) complain("a bad range");
  int *all = malloc((high - low + 1) * sizeof(int));
  for (long i = low; i <= high; i++) all[i - low] = i;
  printf("%d..%d\n", all[0], all[high - low]);
  free(all);
}

static void date(void) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  blank();
  int year = number()->number;
  if (!takes('-')) refuse("expected '-'");
  int month = number()->number;
  if (!takes('-')) refuse("expected '-'");
  int day = number()->number;
  if (month < 1 || month > 12) complain("a bad month");
  if (day < 1 || day > days[month - 1] + (month == 2 && year % 4 == 0)) complain("a bad day");
  printf("day %d of month %d\n", day, month);
}

static void longest(void) {
  Node *n = resolved(path(), 0);
  if (n->kind != ARRAY) complain("longest needs an array");
  size_t most = 0;
  for (int i = 0; i < n->count; i++) {
    Node *one = resolved(n->items[i], 0);
    if (one->kind != TEXT) complain("longest needs texts");
    if (strlen(one->text) > most) most = strlen(one->text);
  }
  printf("longest %zu\n", most);
}

static void average(void) {
  Node *n = resolved(path(), 0);
  if (n->kind != ARRAY) complain("average needs an array");
  long sum = 0;
  for (int i = 0; i < n->count; i++) {
    Node *one = resolved(n->items[i], 0);
    if (one->kind != NUMBER) complain("average needs numbers");
    sum += one->number;
  }
  if (n->count == 0) complain("the average of nothing");
  printf("average %ld\n", sum / n->count);
}

static void first(void) {
  Node *n = resolved(path(), 0);
  if (n->kind == TEXT) {
    if (!n->text[0]) complain("the first of nothing");
    printf("%c\n", n->text[0]);
    return;
  }
  if (n->kind != ARRAY && n->kind != TABLE) complain("this has no first part");
  if (n->count == 0) complain("the first of nothing");
  show(n->items[0], 0);
}

static void format(void) {
  char buffer[64];
  Node *n = resolved(path(), 0);
  if (n->kind != TEXT) complain("format needs a text");
  if (strlen(n->text) > 40) complain("too long to be formatted");
  sprintf(buffer, "<%s>", n->text);
  printf("%-20s\n", buffer);
}

static void command(void) {
  char *name = word();
  if (!strcmp(name, "merge")) merge();
  else if (!strcmp(name, "count")) count();
  else if (!strcmp(name, "range")) range();
  else if (!strcmp(name, "date")) date();
  else if (!strcmp(name, "longest")) longest();
  else if (!strcmp(name, "average")) average();
  else if (!strcmp(name, "first")) first();
  else if (!strcmp(name, "format")) format();
  else complain("there is no such command");
}

static void line(void) {
  if (takes('[')) {
    char *name = word();
    if (!takes(']')) refuse("expected ']'");
    if (get(root, name)) complain("a section is there twice");
    section = node(TABLE);
    put(root, name, section);
  } else if (takes('?')) {
    show(path(), 0);
    printf("\n");
  } else if (takes('@')) {
    command();
  } else {
    char *key = word();
    if (!takes('=')) refuse("expected '='");
    Node *n = value();
    if (get(section, key)) complain("a key is there twice");
    put(section, key, n);
  }
}

int main(int count, char **words) {
  FILE *file = count > 1 ? fopen(words[1], "rb") : stdin;
  if (!file) { perror(words[1]); return 2; }
  char *data = malloc(1 << 16);
  int length = fread(data, 1, 1 << 16, file);
  data = realloc(data, length ? length : 1);
  at = data;
  end = data + length;
  section = root = node(TABLE);
  blank();
  while (at < end) {
    line();
    blank();
  }
  return 0;
}
