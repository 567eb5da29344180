@Deprecated
package a.b.c;

import java.util.*;
import static java.lang.Math.max;
import java.util.function.Function;

/** All of the language, more or less. */
@SuppressWarnings({"unchecked", "raw"}) @Named(value = "a", other = {1, 2}) strictfp public abstract sealed class Everything<T extends Comparable<? super T> & Cloneable, U> extends Base<T[]> implements I, J<U> permits Child, Other {
    private static final int A = 1, B[] = {1, 2, 3,}, C = 0x7fff_ffff;
    protected transient volatile long l = 0b1010L + 017 + 1_000;
    double d = 1.5e-3 + .5f + 1. + 0x1.8p3 + 1e10d;
    char c = 'a', q = '\'', u = '\u0041', o = '\12';
    String s = "a\tb\"" + """
        text block "quoted" \
        ""x"" end\""" """;
    static { System.out.println("static"); }
    { this.d = 2; }
    ;
    public <R> Everything(final int a, String... rest) throws java.io.IOException, Error { this(); }
    Everything() { super(1); }
    abstract void none();
    native int nothing() throws Exception;
    @Override public synchronized <X, Y extends X> Map<X, List<? extends Y>> generic(Map<X, List<List<Y>>> m, int[]... x)[] { return null; }
    int[] array(@NonNull String @A [] @B [] p, Everything<T, U> this) { return new int[]{1, 2}; }
    enum Color implements I { RED(1) { void f() {} }, @A GREEN, BLUE,; private Color(int... x) {} }
    enum Short { A, B }
    record Point<N>(@A int x, N... y) implements I { Point { if (x < 0) throw new Error(); } static int z; Point(int a) { this(a, a); } }
    interface Inner<T> extends I, J<T> { int X = 1; default void m() { } private static void n() { } }
    @interface Ann { int value() default 1; String[] names() default {"a", "b"}; Class<?> type() default Object.class; @A int K = 3; }
    non-sealed static class Child { }
    void statements(int n) throws Exception {
        int i = 0, j[] = new int[3], k[][] = new int[2][n][];
        final var list = new ArrayList<Map<String, int[]>>(); List<String>[] g; java.util.List<? extends T> h = null;
        label: for (int x = 0, y = 1; x < y && i < n; x++, --y) { if (x > 2) continue label; else break; }
        for (;;) break;
        for (i = 0, n = 1; ; ) { }
        for (final String t : new String[] {"x"}) System.out.print(t);
        while (i < 10) i++;
        do { i--; } while (i > 0);
        if (a) if (b) c(); else d();
        switch (i) { case 1: case 2 + 3: j[0] = 1; break; case A, B: default: }
        switch (s) { case "a" -> i = 1; case "b", "c" -> { i = 2; } default -> throw new Error(); }
        int v = switch (i) { case 1 -> 2; case RED -> 4; default -> { yield 3 + i; } };
        try (var in = open(); Reader r = new Reader(in); this.in) { } catch (final IOException | RuntimeException e) { } finally { }
        try { } catch (Exception e) { }
        synchronized (this) { assert i > 0 : "message"; assert true; }
        class Local extends Object { } record R(int x) { } interface K { } enum E { X }
        throw new Exception("x", e);
    }
    Object expressions(Object o) {
        i = j = k += 1; i -= 1; i *= 1; i /= 1; i %= 1; i &= 1; i |= 1; i ^= 1; i <<= 1; i >>= 1; i >>>= 1;
        boolean b = i < j == k >= l && !x || y != z ^ (p & q | r) && a <= b;
        i = a << 1 >> 2 >>> 3 + -b * ~c / +d % e - f++ + ++g - --h;
        Function<Integer, Function<Integer, Integer>> f = x -> y -> x + y;
        Runnable r = () -> { }; f = (Function<A, B> & Serializable) (a, b) -> a; g((int a, final T b) -> a, (x) -> x);
        o = (String) o + (int) -x + (T) (o) + (List<String>) o.get(0) + (a) + b + (a) - b + (int[]) o + (Boolean) !x + (byte) 1;
        if (o instanceof String str && str.length() > 0 || o instanceof final Map<?, ?> m) return str;
        var a = b ? c : d ? e : x -> 1;
        o = String::valueOf; o = int[]::new; o = List<String>::new; o = this::<T>go; o = super::run; o = Outer.super::run; o = a.b()::c;
        o = int.class == int[].class || String[][].class == void.class || Map.Entry.class != null;
        this.<T>go(1).x[2][3].y(); super.go(); Outer.this.x = Outer.super.go(); List.<String>of(); super.<T>go(); a.b.c.d(1, 2);
        o = outer.new Inner<>(1) { int z; }; o = new <T>Foo<T>(); o = new a.b.C<D>.E(); o = new int[]{1}[0]; o = new int[3].length; o = new @A String[2];
        i = (1 + 2) * (a[1]) / (b.c(d)[e]); yield(); record.x = sealed + permits; module = with + to;
        return (switch (i) { default -> 1; }) + 1;
    }
}
;
