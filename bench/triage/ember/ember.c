/* ember: a small expression language with numbers, strings, lists and loops.
 *
 *   let a = [1, 2, 3]; push(a, 4); print a[0] + len(a);
 *   for x in a { if x > 2 { print "big" } } while n < 3 { n = n + 1 }
 *
 * Written for bench/triage: bugs.toml puts realistic bugs into it.
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=0"; }

enum Kind { NUMBER, STRING, LIST, NOTHING };

typedef struct List List;
typedef struct {
  enum Kind kind;
  long number;
  char *text;
  List *list;
} Value;

struct List {
  Value *items;
  int count, room;
};

typedef struct {
  char name[16];
  Value value;
} Variable;

static const char *source;
static int at, length, depth;
static Variable variables[64];
static int variable_count;
static long steps;

static void refuse(const char *why) {
  fprintf(stderr, "error: syntax error at byte %d: %s\n", at, why);
  exit(1);
}

static void complain(const char *why) {
  fprintf(stderr, "error: %s\n", why);
  exit(1);
}

static Value number(long n) { Value v = {NUMBER, n, NULL, NULL}; return v; }
static Value text(const char *s, int n) {
  Value v = {STRING, 0, malloc(n + 1), NULL};
  memcpy(v.text, s, n);
  v.text[n] = 0;
  return v;
}
static Value list(void) {
  Value v = {LIST, 0, NULL, calloc(1, sizeof(List))};
  v.list->room = 2;
  v.list->items = malloc(2 * sizeof(Value));
  return v;
}

static void append(List *l, Value v) {
  if (l->count == l->room) {
    l->room *= 2;
    l->items = realloc(l->items, l->room * sizeof(Value));
  }
  l->items[l->count++] = v;
}

/* -- reading ------------------------------------------------------------------------------ */

static void blank(void) {
  while (at < length && (isspace((unsigned char)source[at]) || source[at] == '#')) {
    if (source[at] == '#')
      while (at < length && source[at] != '\n') at++;
    else
      at++;
  }
}

static int sees(const char *word) {
  blank();
  int n = strlen(word);
  if (strncmp(source + at, word, n)) return 0;
  if (isalpha((unsigned char)*word) && isalnum((unsigned char)source[at + n])) return 0;
  return 1;
}

static int takes(const char *word) {
  if (!sees(word)) return 0;
  at += strlen(word);
  return 1;
}

static void needs(const char *word) {
  if (!takes(word)) refuse(word);
}

static void read_name(char *name) {
  blank();
  int n = 0;
  while (isalpha((unsigned char)source[at])) {
    if (n >= 15) refuse("a name is too long");
    name[n++] = source[at++];
  }
  name[n] = 0;
  if (!n) refuse("a name is expected");
}

static Value read_string(void) {
  char buffer[256];
  int n = 0;
  at++;
  while (source[at] != '"') {
    if (at >= length) refuse("unterminated string");
    if (n >= 255) refuse("a string is too long");
    if (source[at] == '\\') {
      at++;
      if (at >= length) refuse("unterminated string");
      buffer[n++] = source[at] == 'n' ? '\n' : source[at];
      at++;
      continue;
    }
    buffer[n++] = source[at++];
  }
  at++;
  return text(buffer, n);
}

/* -- variables ---------------------------------------------------------------------------- */

static Variable *find(const char *name) {
  for (int i = variable_count - 1; i >= 0; i--)
    if (!strcmp(variables[i].name, name)) return &variables[i];
  return NULL;
}

static void define(const char *name, Value value) {
  Variable *known = find(name);
  if (!known) {
    if (variable_count >= 64) complain("too many variables");
    known = &variables[variable_count++];
    strcpy(known->name, name);
  }
  known->value = value;
}

/* -- operations --------------------------------------------------------------------------- */

static int truth(Value v) {
  if (v.kind == NUMBER) return v.number != 0;
  if (v.kind == STRING) return v.text[0] != 0;
  return v.kind == LIST && v.list->count > 0;
}

static Value element(Value from, Value where) {
  if (where.kind != NUMBER) complain("an index is a number");
  long i = where.number;
  if (from.kind == LIST) {
    if (i < 0) i += from.list->count;
    if (i < 0 || i >= from.list->count) complain("index out of range");
    return from.list->items[i];
  }
  if (from.kind != STRING) complain("only lists and strings have elements");
  if (i < 0 || i >= (long)strlen(from.text)) complain("index out of range");
  return text(from.text + i, 1);
}

static Value slice(Value from, long low, long high) {
  if (from.kind == STRING) {
    long n = strlen(from.text);
    if (high > n) high = n;
    if (low < 0 || low > high) complain("bad slice");
    return text(from.text + low, high - low);
  }
  if (from.kind != LIST) complain("only lists and strings have slices");
  if (high > from.list->count) high = from.list->count;
  if (low < 0) complain("bad slice");
  Value result = list();
  for (long i = low; i < high; i++) append(result.list, from.list->items[i]);
  return result;
}

static Value repeat(Value what, Value times) {
  if (times.kind != NUMBER) complain("only numbers can be multiplied");
  long n = strlen(what.text);
  if (times.number < 0) complain("cannot repeat less than nothing");
  if (times.number > 1000) complain("that is too long");
  char *all = malloc(n * times.number + 1);
  for (long i = 0; i < times.number; i++) memcpy(all + i * n, what.text, n);
  all[n * times.number] = 0;
  Value v = {STRING, 0, all, NULL};
  return v;
}

static Value add(Value a, Value b) {
  if (a.kind == NUMBER && b.kind == NUMBER) return number((long)((unsigned long)a.number + b.number));
  if (a.kind == STRING && b.kind == STRING) {
    int n = strlen(a.text), m = strlen(b.text);
    char *all = malloc(n + m + 1);
    memcpy(all, a.text, n);
    memcpy(all + n, b.text, m + 1);
    Value v = {STRING, 0, all, NULL};
    return v;
  }
  if (a.kind == LIST && b.kind == LIST) {
    Value result = list();
    for (int i = 0; i < a.list->count; i++) append(result.list, a.list->items[i]);
    for (int i = 0; i < b.list->count; i++) append(result.list, b.list->items[i]);
    return result;
  }
  complain("these cannot be added");
  return a;
}

static Value arithmetic(char op, Value a, Value b) {
  if (op == '+') return add(a, b);
  if (op == '*' && a.kind == STRING) return repeat(a, b);
  if (a.kind != NUMBER || b.kind != NUMBER) complain("only numbers can be reckoned with");
  if (op == '-') return number((long)((unsigned long)a.number - b.number));
  if (op == '*') return number((long)((unsigned long)a.number * b.number));
  if (b.number == 0) complain("division by zero");
  if (op == '/') return number(a.number / b.number);
  return number(a.number % b.number);
}

static int compare(Value a, Value b) {
  if (a.kind != b.kind) complain("these cannot be compared");
  if (a.kind == STRING) return strcmp(a.text, b.text);
  if (a.kind != NUMBER) complain("lists cannot be compared");
  return a.number < b.number ? -1 : a.number > b.number;
}

static void sort(List *l) {
  for (int i = 1; i < l->count; i++)
    for (int j = i; j > 0 && compare(l->items[j - 1], l->items[j]) > 0; j--) {
      Value v = l->items[j];
      l->items[j] = l->items[j - 1];
      l->items[j - 1] = v;
    }
}

static void show(Value v, int nested) {
  if (nested > 20) complain("a list is nested too deeply");
  if (v.kind == NUMBER) printf("%ld", v.number);
  if (v.kind == STRING) printf("%s", v.text);
  if (v.kind == LIST) {
    printf("[");
    for (int i = 0; i < v.list->count; i++) {
      if (i) printf(", ");
      show(v.list->items[i], nested + 1);
    }
    printf("]");
  }
}

/* -- built-in functions ------------------------------------------------------------------- */

static Value join(Value parts, Value between) {
  if (parts.kind != LIST || between.kind != STRING) complain("join takes a list and a string");
  char buffer[512] = "";
  int used = 0;
  for (int i = 0; i < parts.list->count; i++) {
    Value v = parts.list->items[i];
    if (v.kind != STRING) complain("join takes strings");
    int n = strlen(v.text) + strlen(between.text);
    if (used + n >= 511) complain("that is too long");
    if (i) used += sprintf(buffer + used, "%s", between.text);
    used += sprintf(buffer + used, "%s", v.text);
  }
  return text(buffer, used);
}

static Value upper(Value v) {
  if (v.kind != STRING) complain("upper takes a string");
  Value copy = text(v.text, strlen(v.text));
  for (char *c = copy.text; *c; c++) *c = toupper((unsigned char)*c);
  return copy;
}

static Value split(Value v, Value by) {
  if (v.kind != STRING || by.kind != STRING) complain("split takes strings");
  if (!by.text[0]) complain("split by nothing");
  Value result = list();
  char *rest = v.text, *found;
  while ((found = strstr(rest, by.text))) {
    append(result.list, text(rest, found - rest));
    rest = found + strlen(by.text);
  }
  append(result.list, text(rest, strlen(rest)));
  return result;
}

static Value pop(Value v) {
  if (v.kind != LIST) complain("pop takes a list");
  if (v.list->count == 0) complain("pop of an empty list");
  return v.list->items[--v.list->count];
}

static Value most(Value v) {
  if (v.kind != LIST) complain("max takes a list");
  if (v.list->count == 0) complain("max of an empty list");
  Value best = v.list->items[0];
  for (int i = 1; i < v.list->count; i++)
    if (compare(best, v.list->items[i]) < 0) best = v.list->items[i];
  return best;
}

static Value call(const char *name, Value *given, int count) {
  int wanted = !strcmp(name, "push") || !strcmp(name, "join") || !strcmp(name, "split") ? 2 : 1;
  if (count != wanted) complain("a function has another number of arguments");
  if (!strcmp(name, "len")) {
    if (given[0].kind == STRING) return number(strlen(given[0].text));
    if (given[0].kind != LIST) complain("len takes a list or a string");
    return number(given[0].list->count);
  }
  if (!strcmp(name, "push")) {
    if (given[0].kind != LIST) complain("push takes a list");
    append(given[0].list, given[1]);
    return given[0];
  }
  if (!strcmp(name, "pop")) return pop(given[0]);
  if (!strcmp(name, "max")) return most(given[0]);
  if (!strcmp(name, "join")) return join(given[0], given[1]);
  if (!strcmp(name, "upper")) return upper(given[0]);
  if (!strcmp(name, "split")) return split(given[0], given[1]);
  if (!strcmp(name, "sort")) {
    if (given[0].kind != LIST) complain("sort takes a list");
    sort(given[0].list);
    return given[0];
  }
  complain("there is no such function");
  return given[0];
}

/* -- expressions -------------------------------------------------------------------------- */

static Value expression(void);

static Value atom(void) {
  blank();
  if (++depth > 100) refuse("nested too deeply");
  Value result;
  if (isdigit((unsigned char)source[at])) {
    long n = 0;
    while (isdigit((unsigned char)source[at])) n = (n * 10 + source[at++] - '0') % 1000000007;
    result = number(n);
  } else if (source[at] == '"') {
    result = read_string();
  } else if (takes("(")) {
    result = expression();
    needs(")");
  } else if (takes("-")) {
    Value v = atom();
    if (v.kind != NUMBER) complain("only numbers can be negative");
    result = number(-v.number);
  } else if (takes("[")) {
    result = list();
    while (!takes("]")) {
      append(result.list, expression());
      if (!sees("]")) needs(",");
    }
  } else {
    char name[16];
    read_name(name);
    if (takes("(")) {
      Value given[4];
      int count = 0;
      while (!takes(")")) {
        if (count >= 4) refuse("too many arguments");
        given[count++] = expression();
        if (!sees(")")) needs(",");
      }
      result = call(name, given, count);
    } else {
      Variable *known = find(name);
      if (!known) complain("there is no such variable");
      result = known->value;
    }
  }
  while (takes("[")) {
    Value low = expression();
    if (takes(":")) {
      Value high = expression();
      if (low.kind != NUMBER || high.kind != NUMBER) complain("a slice has numbers");
      result = slice(result, low.number, high.number);
    } else
      result = element(result, low);
    needs("]");
  }
  depth--;
  return result;
}

static Value product(void) {
  Value a = atom();
  for (;;) {
    blank();
    char op = source[at];
    if (op != '*' && op != '/' && op != '%') return a;
    at++;
    a = arithmetic(op, a, atom());
  }
}

static Value sum(void) {
  Value a = product();
  for (;;) {
    blank();
    char op = source[at];
    if (op != '+' && op != '-') return a;
    at++;
    a = arithmetic(op, a, product());
  }
}

static Value expression(void) {
  Value a = sum();
  if (takes("==")) return number(compare(a, sum()) == 0);
  if (takes("<")) return number(compare(a, sum()) < 0);
  if (takes(">")) return number(compare(a, sum()) > 0);
  return a;
}

/* -- statements --------------------------------------------------------------------------- */

static void statement(int run);

static void block(int run) {
  needs("{");
  while (!takes("}")) {
    if (at >= length) refuse("a block is not closed");
    statement(run);
  }
}

static void skip_block(void) {
  needs("{");
  int open = 1;
  while (open) {
    if (at >= length) refuse("a block is not closed");
    if (source[at] == '"') { read_string(); continue; }
    if (source[at] == '{') open++;
    if (source[at] == '}') open--;
    at++;
  }
}

static void loop_over(void) {
  char name[16];
  read_name(name);
  needs("in");
  Value over = expression();
  if (over.kind != LIST) complain("only a list can be gone through");
  int start = at;
  if (over.list->count == 0) skip_block();
  for (int i = 0; i < over.list->count; i++) {
    if (++steps > 2000) complain("too many steps");
    at = start;
    define(name, over.list->items[i]);
    block(1);
  }
}

static void loop_while(void) {
  int start = at;
  while (truth(expression())) {
    if (++steps > 2000) complain("too many steps");
    block(1);
    at = start;
  }
  skip_block();
}

static void statement(int run) {
  char name[16];
  if (++depth > 200) refuse("nested too deeply");
  if (takes("let")) {
    read_name(name);
    needs("=");
    define(name, expression());
  } else if (takes("print")) {
    show(expression(), 0);
    printf("\n");
  } else if (takes("if")) {
    int yes = truth(expression());
    if (yes) block(run); else skip_block();
    if (takes("else")) {
      if (!yes) block(run); else skip_block();
    }
  } else if (takes("for")) {
    loop_over();
  } else if (takes("while")) {
    loop_while();
  } else if (takes("set")) {
    read_name(name);
    Variable *known = find(name);
    if (!known || known->value.kind != LIST) complain("set changes a list");
    List *l = known->value.list;
    needs("[");
    Value where = expression();
    needs("]");
    needs("=");
    Value v = expression();
    if (where.kind != NUMBER || where.number < 0 || where.number >= l->count) complain("index out of range");
    l->items[where.number] = v;
  } else
    expression();
  while (takes(";")) {}
  depth--;
}

int main(int count, char **words) {
  FILE *file = count > 1 ? fopen(words[1], "rb") : stdin;
  if (!file) { perror(words[1]); return 2; }
  char *buffer = calloc(1, 65537);
  length = fread(buffer, 1, 65536, file);
  source = buffer;
  blank();
  while (at < length) {
    statement(1);
    blank();
  }
  return 0;
}
