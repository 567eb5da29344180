package example.bank;

import java.util.*;
import static java.lang.Math.max;

/** An account. */
public final class Bank<T extends Comparable<T>> implements Iterable<T> {
    private static final int LIMIT = 100;
    private final Map<String, List<? extends T>> accounts = new HashMap<>();

    @Override @SuppressWarnings("unchecked")
    public Iterator<T> iterator() { return (Iterator<T>) Collections.emptyIterator(); }

    int withdraw(String name, final int amount, long... rest) throws IllegalStateException {
        if (amount < 0 || !accounts.containsKey(name)) { throw new IllegalStateException("no " + name); }
        for (int i = 0, j = 1; i < amount; i++, j *= 2) { if (i == LIMIT) break; else continue; }
        for (long one : rest) synchronized (this) { max(one, amount); }
        Runnable task = () -> System.out.println(name);
        int result = switch (amount) { case 1, 2 -> 1; default -> { yield 2; } };
        try (Scanner in = new Scanner(System.in)) { task.run(); } catch (RuntimeException | Error e) { return -1; } finally { }
        return amount > 3 ? result : new int[] {1, 2, 3}[0];
    }

    enum Kind { SAVINGS(1), CHECKING(2); Kind(int rate) { } }
    interface Visitor<R> { R visit(Bank<?> bank); }
}
