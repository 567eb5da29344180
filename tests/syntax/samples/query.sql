-- Orders of a month.
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, total NUMERIC(10, 2) DEFAULT 0);
INSERT INTO orders (id, customer, total) VALUES (1, 'ann', 10.5), (2, 'bob''s', 20);
SELECT o.id, COUNT(*) AS items, SUM(o.total) total
FROM orders o LEFT JOIN lines l ON l.order_id = o.id AND l.kind <> 'x'
WHERE o.total > 5 AND (o.customer LIKE 'a%' OR o.customer IN ('bob', 'eve'))
GROUP BY o.id, o.customer HAVING COUNT(*) > 1
ORDER BY total DESC, o.id LIMIT 10;
UPDATE orders SET total = total * 2, customer = 'x' WHERE id BETWEEN 1 AND 3;
DELETE FROM orders WHERE id = 4;
