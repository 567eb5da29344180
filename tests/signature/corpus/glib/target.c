/* A shop that asserts: a target that fails by the means of GLib. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

static GHashTable *prices;

static void sell(const char *name, int total) {
    gpointer price = g_hash_table_lookup(prices, name);
    g_assert_cmpint(GPOINTER_TO_INT(price), <, total);
    printf("%s %d\n", name, total);
}

static void count(int total) {
    g_assert_cmpint(total, >, 0);
    g_assert(total != 13);
}

static void name(const char *text) {
    if (strlen(text) > 12) g_error("name %s is too long", text);
    g_assert_cmpstr(text, !=, "none");
}

static void close_shop(void) { g_clear_pointer(&prices, g_hash_table_destroy); }

int main(int argc, char **argv) {
    char line[200], word[64], text[64];
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    if (!file) return 2;
    prices = g_hash_table_new(g_str_hash, g_str_equal);
    while (fgets(line, sizeof line, file)) {
        int total = 0;
        text[0] = 0;
        if (sscanf(line, "%63s %63s %d", word, text, &total) < 1) continue;
        if (!strcmp(word, "price")) g_hash_table_insert(prices, g_strdup(text), GINT_TO_POINTER(total));
        else if (!strcmp(word, "sell")) sell(text, total);
        else if (!strcmp(word, "count")) count(total);
        else if (!strcmp(word, "name")) name(text);
        else if (!strcmp(word, "warn")) g_warning("order %s is late", text);
        else if (!strcmp(word, "close")) close_shop();
        else if (!strcmp(word, "list")) g_list_foreach(NULL, NULL, NULL), g_strsplit(NULL, ",", 3);
    }
    return 0;
}
