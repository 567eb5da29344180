/* A ledger of bookings. BPF has five registers for arguments: clang for BPF refuses `book`. */
enum kind { DEBIT, CREDIT, TRANSFER };

struct entry {
  int id;
  enum kind kind;
  long amount;
  struct entry *next;
};

static struct entry pool[16];
static int used;
static long balance[4];

static struct entry *take(void) {
  if (used >= 16)
    return 0;
  return &pool[used++];
}

static long rounded(long amount, int step) {
  long rest = amount % step;
  if (rest * 2 >= step)
    return amount + step - rest;
  return amount - rest;
}

struct entry *book(struct entry *list, enum kind kind, int from, int to, long amount, int step) {
  struct entry *made = take();
  long value = rounded(amount, step);
  if (!made)
    return list;
  switch (kind) {
  case DEBIT:
    balance[from & 3] -= value;
    break;
  case CREDIT:
    balance[to & 3] += value;
    break;
  default:
    balance[from & 3] -= value;
    balance[to & 3] += value;
  }
  made->id = used;
  made->kind = kind;
  made->amount = value;
  made->next = list;
  return made;
}

static int length(const struct entry *list) {
  int n = 0;
  while (list) {
    n++;
    list = list->next;
  }
  return n;
}

long sum(const struct entry *list, long limit) {
  long total = 0;
  for (const struct entry *at = list; at; at = at->next) {
    if (at->kind == TRANSFER)
      continue;
    total += at->amount;
    if (total > limit) {
      total = limit;
      break;
    }
  }
  return total;
}

int main(void) {
  struct entry *list = 0;
  for (int i = 0; i < 8; i++)
    list = book(list, (enum kind)(i % 3), i, i + 1, 100 * i + 7, 10);
  return length(list) == 8 && sum(list, 1000) > 0 ? 0 : 1;
}
