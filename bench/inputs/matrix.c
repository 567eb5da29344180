/* Paths in a graph. The rows of `closure` live on the stack and have a length that is known only when
   the program runs: clang for BPF cannot do that. */
typedef unsigned char byte;

struct graph {
  int size;
  byte edge[8][8];
};

static unsigned seed = 12345u;

static unsigned draw(unsigned below) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % below;
}

static void fill(struct graph *g, int size, int edges) {
  g->size = size;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      g->edge[i][j] = 0;
  while (edges-- > 0) {
    unsigned a = draw((unsigned)size), b = draw((unsigned)size);
    if (a != b)
      g->edge[a][b] = 1;
  }
}

int closure(const struct graph *g, int from, int to) {
  byte reached[g->size];
  int queue[8], head = 0, tail = 0;
  for (int i = 0; i < g->size; i++)
    reached[i] = 0;
  queue[tail++] = from;
  reached[from] = 1;
  while (head < tail) {
    int at = queue[head++];
    if (at == to)
      return 1;
    for (int next = 0; next < g->size; next++) {
      if (g->edge[at][next] && !reached[next]) {
        reached[next] = 1;
        queue[tail++] = next;
      }
    }
  }
  return 0;
}

static int degree(const struct graph *g, int node) {
  int n = 0;
  for (int i = 0; i < g->size; i++)
    n += g->edge[node][i] + g->edge[i][node];
  return n;
}

static int components(const struct graph *g) {
  int count = 0;
  byte seen[8] = {0};
  for (int i = 0; i < g->size; i++) {
    if (seen[i])
      continue;
    count++;
    for (int j = 0; j < g->size; j++)
      if (closure(g, i, j) || closure(g, j, i))
        seen[j] = 1;
  }
  return count;
}

int main(void) {
  struct graph g;
  int worst = 0;
  for (int round = 1; round <= 3; round++) {
    fill(&g, 4 + round, 3 * round);
    for (int i = 0; i < g.size; i++) {
      int d = degree(&g, i);
      worst = d > worst ? d : worst;
    }
    if (components(&g) < 1)
      return 1;
  }
  return worst >= 0 ? 0 : 2;
}
