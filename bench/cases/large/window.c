/* gcc 12 takes a variable for one that may not be set: both conditions are the same. */
#include <gtk/gtk.h>
#include <gio/gio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    GtkWidget *window, *list, *status;
    GHashTable *seen;
    GString *text;
    gint width, height;
} App;

static gboolean parse_size(const gchar *text, gint *width, gint *height)
{
    gchar **parts = g_strsplit(text, "x", 2);
    gboolean good = g_strv_length(parts) == 2;
    if (good) {
        *width = (gint)g_ascii_strtoll(parts[0], NULL, 10);
        *height = (gint)g_ascii_strtoll(parts[1], NULL, 10);
    }
    g_strfreev(parts);
    return good;
}

static guint remember(App *app, const gchar *name, guint flags)
{
    guint position;
    guint wanted = flags & 7u;
    if (wanted > 2)
        position = GPOINTER_TO_UINT(g_hash_table_lookup(app->seen, name));
    g_string_append_printf(app->text, "%s\n", name);
    g_hash_table_insert(app->seen, g_strdup(name), GUINT_TO_POINTER(flags + 1));
    if (g_hash_table_size(app->seen) > 100)
        g_hash_table_remove_all(app->seen);
    if (wanted > 2)
        return position;
    return 0;
}

static void clicked(GtkButton *button, gpointer data)
{
    App *app = data;
    GDateTime *now = g_date_time_new_now_local();
    gchar *said = g_date_time_format(now, "%H:%M");
    guint at = remember(app, gtk_button_get_label(button), (guint)strlen(said));
    gtk_label_set_text(GTK_LABEL(app->status), at ? app->text->str : said);
    g_date_time_unref(now);
    g_free(said);
}

static guint read_levels(GKeyFile *file, const gchar *group)
{
    guint total = 0;
    gint level;
    gboolean known = g_key_file_has_key(file, group, "level", NULL);
    if (known && g_key_file_get_boolean(file, group, "active", NULL))
        level = g_key_file_get_integer(file, group, "level", NULL);
    for (guint at = 0; at < 4; at++)
        if (known && g_key_file_get_boolean(file, group, "active", NULL))
            total += (guint)level * at;
    return total;
}

int main(int argc, char **argv)
{
    App app = {0};
    GKeyFile *file = g_key_file_new();
    gtk_init(&argc, &argv);
    app.window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    app.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    app.text = g_string_new(NULL);
    if (argc > 1 && parse_size(argv[1], &app.width, &app.height))
        gtk_window_set_default_size(GTK_WINDOW(app.window), app.width, app.height);
    app.status = gtk_label_new("");
    app.list = gtk_button_new_with_label("more");
    g_signal_connect(app.list, "clicked", G_CALLBACK(clicked), &app);
    gtk_container_add(GTK_CONTAINER(app.window), app.list);
    if (g_key_file_load_from_file(file, "levels", G_KEY_FILE_NONE, NULL))
        g_print("%u\n", read_levels(file, "main"));
    gtk_widget_show_all(app.window);
    gtk_main();
    return 0;
}
