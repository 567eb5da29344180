/* post: keeps mail in folders, and does what the lines of a session say.
 *
 *   MAKE work            PICK work           POST subject=lunch from=bob pri=1 : see you at one
 *   SHOW 1:3   FLAG 2 seen   COPY 1 old   WIPE   FIND subject lun   SORT from   REPLY 1   STAT
 *   MOVE old work        DROP old        TREE        LIST w*k?       UNDO
 *   ALIAS boss bob       SEND boss       QUOTA 500       USED        DECODE aGVsbG8=
 *
 * A line that cannot be done is answered with NO, and the session goes on.
 * Written for bench/triage: bugs.toml puts realistic bugs into it.
 */
#include <assert.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=0"; }

enum { FLAGS = 4, FIELDS = 4, ALIASES = 16, HISTORY = 8 };

typedef struct {
  char *names[FIELDS], *values[FIELDS];
  int fields, priority, gone, seen;
  char *flags[FLAGS];
  int flag_count;
  char *text;
} Message;

typedef struct Folder Folder;
struct Folder {
  char *name;
  Folder *parent, *next;
  Message *items;
  int count, room, unread;
};

static struct {
  Folder *folders, *picked;
  char *alias[ALIASES], *meaning[ALIASES];
  int aliases, quota, used;
} box;

static Message *history[HISTORY];
static int history_count;

static const char *at, *end;
static jmp_buf next_line;

static void refuse(const char *why) {
  printf("NO %s\n", why);
  longjmp(next_line, 1);
}

/* -- words -------------------------------------------------------------------------------- */

static void blank(void) {
  while (at < end && (*at == ' ' || *at == '\t')) at++;
}

static char *copied(const char *from, int length) {
  char *copy = malloc(length + 1);
  memcpy(copy, from, length);
  copy[length] = 0;
  return copy;
}

static char *word(void) {
  blank();
  const char *start = at;
  while (at < end && !isspace((unsigned char)*at) && *at != '=' && *at != ':') at++;
  if (at == start) refuse("a word is missing");
  return copied(start, at - start);
}

static int number(void) {
  char *digits = word();
  if (strlen(digits) > 7) refuse("a number is too large");
  for (char *one = digits; *one; one++)
    if (!isdigit((unsigned char)*one) && !(one == digits && *one == '-')) refuse("no number");
  return atoi(digits);
}

static char *lower(const char *text) {
  int length = 0;
  while (text[length]) length++;
  char *copy = copied(text, length);
  for (int i = 0; i < length; i++) copy[i] = tolower((unsigned char)copy[i]);
  return copy;
}

static int match(const char *pattern, const char *text) {
  if (!*pattern) return !*text;
  if (*pattern == '*') {
    for (;; text++) {
      if (match(pattern + 1, text)) return 1;
      if (!*text) return 0;
    }
  }
  if (*pattern == '?') return *text && match(pattern + 1, text + 1);
  return *pattern == *text && match(pattern + 1, text + 1);
}

/* -- folders ------------------------------------------------------------------------------ */

static void forget(void) { history_count = 0; } /* messages may be elsewhere now */

static Folder *folder(const char *name) {
  for (Folder *one = box.folders; one; one = one->next)
    if (!strcmp(one->name, name)) return one;
  refuse("there is no such folder");
  return NULL;
}

static char *path_of(Folder *f) {
  if (!f->parent) return copied(f->name, strlen(f->name));
  char *before = path_of(f->parent);
  char *all = malloc(strlen(before) + strlen(f->name) + 2);
  sprintf(all, "%s/%s", before, f->name);
  free(before);
  return all;
}

static void make(void) {
  char *name = word();
  for (Folder *one = box.folders; one; one = one->next)
    if (!strcmp(one->name, name)) refuse("this folder is there");
  Folder *f = calloc(1, sizeof(Folder));
  f->name = name;
  f->next = box.folders;
  box.folders = f;
}

static void move(void) {
  Folder *f = folder(word()), *to = folder(word());
  for (Folder *up = to; up; up = up->parent) if (up == f) refuse("a folder cannot be in itself");
  f->parent = to;
}

static void drop(void) {
  Folder *f = folder(word());
  for (Folder *one = box.folders; one; one = one->next) if (one->parent == f) refuse("there are folders in it");
  Folder **link = &box.folders;
  while (*link != f) link = &(*link)->next;
  *link = f->next;
  if (box.picked == f) box.picked = NULL;
  forget();
  free(f->items);
  free(f->name);
  free(f);
}

static void tree(void) {
  for (Folder *one = box.folders; one; one = one->next) printf("* %s\n", path_of(one));
}

static void list(void) {
  char *pattern = word();
  for (Folder *one = box.folders; one; one = one->next)
    if (match(pattern, one->name)) printf("* %s\n", one->name);
}

/* -- messages ----------------------------------------------------------------------------- */

static Folder *picked(void) {
  if (!box.picked) refuse("pick a folder first");
  return box.picked;
}

static void check(Folder *f) {
  assert(f->unread >= 0);
  assert(f->unread <= f->count);
}

static void append(Folder *to, const Message *m) {
  if (to->count == to->room) {
    forget();
    to->room = to->room ? to->room * 2 : 2;
    to->items = realloc(to->items, to->room * sizeof(Message));
  }
  to->items[to->count++] = *m;
  if (!m->seen) to->unread++;
}

static char *field(const Message *m, const char *name) {
  for (int i = 0; i < m->fields; i++)
    if (!strcmp(m->names[i], name)) return m->values[i];
  return NULL;
}

static Message *message_at(int n) {
  Folder *f = picked();
  if (n < 1 || n > f->count) refuse("there is no such message");
  Message *m = &f->items[n - 1];
  if (m->gone) refuse("this message is gone");
  return m;
}

static void range(int *low, int *high) {
  blank();
  if (at < end && *at == '*') {
    at++;
    *low = 1;
    *high = picked()->count;
    return;
  }
  *low = *high = number();
  if (at < end && *at == ':') {
    at++;
    *high = number();
  }
  if (*low < 1 || *high - *low > 50) refuse("a bad range");
}

static void post(void) {
  Message m = {0};
  Folder *f = picked();
  m.priority = 1;
  for (blank(); at < end && *at != ':' && *at != '\n'; blank()) {
    char *name = word();
    if (at >= end || *at != '=') refuse("a field has a name and a value");
    at++;
    if (!strcmp(name, "pri")) {
      m.priority = number();
      if (m.priority < 0 || m.priority > 2) refuse("a bad priority");
      continue;
    }
    if (m.fields == FIELDS) refuse("too many fields");
    m.values[m.fields] = word();
    m.names[m.fields++] = name;
  }
  if (at < end && *at == ':') at++;
  const char *start = at;
  while (at < end && *at != '\n') at++;
  m.text = copied(start, at - start);
  box.used += at - start;
  append(f, &m);
  printf("OK %d\n", f->count);
}

static void show(void) {
  static const char *priorities[] = {"low", "normal", "high"};
  char line[48];
  int low, high;
  range(&low, &high);
  for (int i = low; i <= high; i++) {
    Message *m = message_at(i);
    const char *subject = field(m, "subject");
    snprintf(line, sizeof line, "%d %s", i, subject ? subject : "(nothing)");
    printf("* %s, %s:%s\n", line, priorities[m->priority], m->text);
  }
}

static void flag(void) {
  Message *m = message_at(number());
  char *name = word();
  if (!strcmp(name, "seen")) {
    if (m->seen) refuse("it was seen before");
    m->seen = 1;
    picked()->unread--;
    return;
  }
  if (m->flag_count == FLAGS) refuse("too many flags");
  m->flags[m->flag_count++] = name;
  if (history_count < HISTORY) history[history_count++] = m;
}

static void undo(void) {
  if (history_count == 0) refuse("nothing can be undone");
  Message *m = history[--history_count];
  printf("OK without %s\n", m->flags[--m->flag_count]);
}

static void copy(void) {
  int low, high;
  range(&low, &high);
  Folder *to = folder(word());
  for (int i = low; i <= high; i++) {
    Message m = *message_at(i);
    append(to, &m);
  }
}

static void wipe(void) {
  Folder *f = picked();
  int kept = 0;
  forget();
  for (int i = 0; i < f->count; i++) {
    Message m = f->items[i];
    int wiped = 0;
    for (int j = 0; j < m.flag_count; j++) wiped |= !strcmp(m.flags[j], "deleted");
    if (!wiped) f->items[kept++] = m;
    else if (!m.seen) f->unread--;
  }
  f->count = kept;
}

static void find(void) {
  char *name = word(), *part = lower(word());
  Folder *f = picked();
  for (int i = 0; i < f->count; i++) {
    char *value = field(&f->items[i], name);
    if (!value) continue;
    if (strstr(lower(value), part)) printf("* %d\n", i + 1);
  }
}

static void sort(void) {
  char *name = word();
  Folder *f = picked();
  forget();
  for (int i = 1; i < f->count; i++)
    for (int j = i; j > 0; j--) {
      char *one = field(&f->items[j - 1], name), *two = field(&f->items[j], name);
      if (!one || !two) break;
      if (strcmp(lower(one), lower(two)) <= 0) break;
      Message m = f->items[j];
      f->items[j] = f->items[j - 1];
      f->items[j - 1] = m;
    }
}

static void reply(void) {
  Message *m = message_at(number());
  char *to = field(m, "from");
  if (!to) refuse("nobody sent it");
  printf("* to %s, %d letters\n", to, (int)strlen(to));
}

static void stat(void) {
  Folder *f = picked();
  printf("* %s: %d, %d unread, priority %d\n", f->name, f->count, f->unread, f->count ? f->items[0].priority : 0);
}

/* -- the rest ----------------------------------------------------------------------------- */

static const char *meant(const char *name, int steps) {
  if (steps > ALIASES) refuse("aliases go in a circle");
  for (int i = 0; i < box.aliases; i++)
    if (!strcmp(box.alias[i], name)) return meant(box.meaning[i], steps + 1);
  return name;
}

static void alias(void) {
  if (box.aliases == ALIASES) refuse("too many aliases");
  char *name = lower(word());
  box.meaning[box.aliases] = lower(word());
  box.alias[box.aliases++] = name;
}

static void send(void) {
  printf("OK sent to %s\n", meant(lower(word()), 0));
}

static void quota(void) {
  int limit = number();
  if (limit < 1) refuse("a bad quota");
  box.quota = limit;
}

static void used(void) {
  printf("* %d%% used\n", box.used * 100 / box.quota);
}

static void decode(void) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char out[24];
  int n = 0, bits = 0, have = 0;
  char *code = word();
  for (char *one = code; *one; one++) {
    const char *found = strchr(letters, *one);
    if (!found) refuse("no base64");
    bits = bits << 6 | (int)(found - letters);
    have += 6;
    if (have < 8) continue;
    if (n == sizeof out - 1) refuse("too long to be decoded");
    have -= 8;
    out[n++] = bits >> have & 255;
  }
  out[n] = 0;
  printf("* %d letters\n", n);
}

static void pick(void) { box.picked = folder(word()); }

static const struct {
  const char *name;
  void (*run)(void);
} commands[] = {
    {"MAKE", make}, {"MOVE", move},   {"DROP", drop},   {"TREE", tree},   {"LIST", list},
    {"PICK", pick}, {"POST", post},   {"SHOW", show},   {"FLAG", flag},   {"UNDO", undo},
    {"COPY", copy}, {"WIPE", wipe},   {"FIND", find},   {"SORT", sort},   {"REPLY", reply},
    {"STAT", stat}, {"ALIAS", alias}, {"SEND", send},   {"QUOTA", quota}, {"USED", used},
    {"DECODE", decode}};

static void line(void) {
  char *name = word();
  for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i].name, name)) {
      commands[i].run();
      for (Folder *one = box.folders; one; one = one->next) check(one);
      return;
    }
  refuse("there is no such command");
}

static int session(const char *path) {
  static char room[1 << 14];
  FILE *file = path ? fopen(path, "rb") : stdin;
  if (!file) { perror(path); return 2; }
  int length = fread(room, 1, sizeof room, file);
  if (path) fclose(file);
  char *data = copied(room, length);
  memset(&box, 0, sizeof box);
  box.quota = 100;
  history_count = 0;
  const char *volatile start = data;
  while (start < data + length) {
    const char *stop = memchr(start, '\n', data + length - start);
    if (!stop) stop = data + length;
    at = start;
    end = stop;
    start = stop + 1;
    if (!setjmp(next_line)) line();
  }
  return 0;
}

int main(int count, char **words) {
#ifdef __AFL_LOOP
  while (__AFL_LOOP(1000)) session(count > 1 ? words[1] : NULL);
  return 0;
#else
  return session(count > 1 ? words[1] : NULL);
#endif
}
