"""A small shop: products, carts, discounts, stock, invoices and a report."""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
TAX_RATES = {"book": Decimal("0.05"), "food": Decimal("0.05"), "other": Decimal("0.19")}
SHIPPING = {"book": Decimal("2.50"), "other": Decimal("4.90")}


class ShopError(Exception):
    """Something a customer should be told."""


class OutOfStock(ShopError):
    def __init__(self, product: Product, wanted: int) -> None:
        super().__init__(f"only {product.stock} of {product.name} left, {wanted} wanted")
        self.product = product
        self.wanted = wanted


def money(value: Decimal) -> Decimal:
    """Round to whole cents, as the tax office wants it."""
    return value.quantize(CENT, rounding=ROUND_HALF_UP)


@dataclass
class Product:
    sku: str
    name: str
    price: Decimal
    category: str = "other"
    stock: int = 0
    tags: set[str] = field(default_factory=set)

    @property
    def tax_rate(self) -> Decimal:
        return TAX_RATES.get(self.category, TAX_RATES["other"])

    def take(self, count: int) -> None:
        if count > self.stock:
            raise OutOfStock(self, count)
        self.stock -= count

    def matches(self, words: list[str]) -> bool:
        text = f"{self.name} {' '.join(self.tags)}".lower()
        return all(word.lower() in text for word in words)


@dataclass(frozen=True)
class Line:
    product: Product
    count: int

    @property
    def net(self) -> Decimal:
        return self.product.price * self.count

    @property
    def tax(self) -> Decimal:
        return money(self.net * self.product.tax_rate)


class Discount:
    """A rule that takes something off a cart."""

    def __init__(self, name: str) -> None:
        self.name = name

    def amount(self, cart: Cart) -> Decimal:
        raise NotImplementedError


class Percentage(Discount):
    def __init__(self, name: str, percent: int, least: Decimal = Decimal(0)) -> None:
        super().__init__(name)
        self.percent = percent
        self.least = least

    def amount(self, cart: Cart) -> Decimal:
        if cart.net < self.least:
            return Decimal(0)
        return money(cart.net * self.percent / 100)


class ThreeForTwo(Discount):
    def __init__(self, name: str, category: str) -> None:
        super().__init__(name)
        self.category = category

    def amount(self, cart: Cart) -> Decimal:
        prices = sorted(
            line.product.price
            for line in cart.lines
            if line.product.category == self.category
            for _ in range(line.count)
        )
        return sum(prices[: len(prices) // 3], Decimal(0))


class Cart:
    def __init__(self, customer: str) -> None:
        self.customer = customer
        self.lines: list[Line] = []
        self.discounts: list[Discount] = []

    def add(self, product: Product, count: int = 1) -> Cart:
        if count <= 0:
            raise ShopError(f"cannot add {count} of {product.name}")
        product.take(count)
        self.lines.append(Line(product, count))
        return self

    @property
    def net(self) -> Decimal:
        return sum((line.net for line in self.lines), Decimal(0))

    @property
    def tax(self) -> Decimal:
        return sum((line.tax for line in self.lines), Decimal(0))

    def total(self) -> Decimal:
        off = sum((discount.amount(self) for discount in self.discounts), Decimal(0))
        return money(max(self.net - off, Decimal(0)) + self.tax)

    def split_by_category(self) -> dict[str, list[Line]]:
        groups: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            groups[line.product.category].append(line)
        return dict(groups)


class Warehouse:
    def __init__(self) -> None:
        self.products: dict[str, Product] = {}
        self.orders: Counter[str] = Counter()

    def add(self, product: Product) -> None:
        if product.sku in self.products:
            raise ShopError(f"there is a product {product.sku} already")
        self.products[product.sku] = product

    def search(self, query: str, limit: int = 10) -> list[Product]:
        words = query.split()
        found = [product for product in self.products.values() if product.matches(words)]
        found.sort(key=lambda product: (product.stock == 0, product.price))
        return found[:limit]

    def reorder(self, threshold: int = 5, budget: Decimal = Decimal(500)) -> dict[str, int]:
        """Order what runs low, cheapest first, as long as there is money."""
        remaining = budget
        wanted: dict[str, int] = {}
        low = [product for product in self.products.values() if product.stock < threshold]
        for product in sorted(low, key=lambda product: product.price):
            count = threshold * 2 - product.stock
            cost = product.price * count
            while count and cost > remaining:
                count -= 1
                cost = product.price * count
            if count == 0:
                del cost
                continue
            cost += SHIPPING.get(product.category, Decimal(0))
            wanted[product.sku] = count
            remaining -= cost
            self.orders[product.sku] += count
        return wanted

    def load(self, text: str) -> int:
        """Read products from CSV; return how many there were."""
        count = 0
        for row in csv.DictReader(io.StringIO(text)):
            try:
                price = Decimal(row["price"])
                stock = int(row.get("stock") or 0)
            except (KeyError, ValueError) as error:
                raise ShopError(f"bad row {row}: {error}") from error
            tags = set(filter(None, (row.get("tags") or "").split("|")))
            self.add(Product(row["sku"], row["name"], price, row["category"], stock, tags))
            count += 1
        return count


def invoice(cart: Cart, today: date, days: int = 30) -> str:
    """Return the text of an invoice."""
    lines = [f"Invoice for {cart.customer}", f"due {today + timedelta(days=days):%Y-%m-%d}", ""]
    for category, group in sorted(cart.split_by_category().items()):
        lines.append(f"-- {category} --")
        for line in group:
            lines.append(f"{line.count:>3} x {line.product.name:<20} {line.net:>10}")
    lines.append("")
    for discount in cart.discounts:
        amount = discount.amount(cart)
        if amount:
            lines.append(f"{discount.name:<26} {-amount:>10}")
    lines.append(f"{'tax':<26} {cart.tax:>10}")
    lines.append(f"{'total':<26} {cart.total():>10}")
    return "\n".join(lines)


def settle(carts: list[Cart], paid: dict[str, Decimal]) -> dict[str, Decimal]:
    """Say who still owes what, and spread what was paid too much over the others."""
    owed: dict[str, Decimal] = {}
    surplus = Decimal(0)
    for cart in carts:
        balance = cart.total() - paid.get(cart.customer, Decimal(0))
        if balance < 0:
            surplus -= balance
        else:
            owed[cart.customer] = balance
        if cart.discounts and surplus:
            bonus = min(surplus, money(cart.net / 100))
            if cart.customer in owed:
                owed[cart.customer] -= bonus
                surplus -= bonus
    carried = surplus
    for customer in sorted(owed, key=lambda name: owed[name]):
        if carried <= 0:
            break
        share = min(owed[customer], carried)
        owed[customer] -= share
        if not owed[customer]:
            del owed[customer]
        carried -= share
    return owed


def simulate(warehouse: Warehouse, customers: list[str], seed: int) -> list[Cart]:
    """Let customers buy things at random."""
    generator = random.Random(seed)
    carts = []
    for name in customers:
        cart = Cart(name)
        for _ in range(generator.randint(1, 4)):
            product = generator.choice(list(warehouse.products.values()))
            try:
                cart.add(product, generator.randint(1, 3))
            except OutOfStock as error:
                print(f"sorry, {name}: {error}")
        if generator.random() < 0.5:
            cart.discounts.append(Percentage("loyal customer", 5, least=Decimal(20)))
        if any(line.product.category == "book" for line in cart.lines):
            cart.discounts.append(ThreeForTwo("books: three for two", "book"))
        carts.append(cart)
    return carts


def report(carts: list[Cart]) -> str:
    sold: Counter[str] = Counter()
    turnover: dict[str, Decimal] = defaultdict(Decimal)
    for cart in carts:
        for line in cart.lines:
            sold[line.product.name] += line.count
            turnover[line.product.category] += line.net
    best = [{"name": name, "count": count} for name, count in sold.most_common(3)]
    by_category = {category: str(value) for category, value in sorted(turnover.items())}
    return json.dumps({"best": best, "turnover": by_category}, indent=2)


STOCK = """sku,name,price,category,stock,tags
b1,Compilers,89.00,book,4,dragon|heavy
b2,Debugging,39.50,book,12,bugs
b3,Parsing,59.00,book,3,
f1,Coffee,7.95,food,40,hot|black
f2,Tea,4.25,food,25,hot
o1,Keyboard,129.00,other,2,loud
o2,Mouse,25.00,other,9,
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--customers", default="Ada,Grace,Edsger,Barbara")
    arguments = parser.parse_args()
    warehouse = Warehouse()
    print(warehouse.load(STOCK), "products")
    carts = simulate(warehouse, arguments.customers.split(","), arguments.seed)
    for cart in carts:
        print(invoice(cart, date.today()), end="\n\n")
    paid = {cart.customer: money(cart.total() * Decimal("1.1")) for cart in carts[::2]}
    print("owed:", settle(carts, paid))
    print("to order:", warehouse.reorder())
    print(report(carts))


if __name__ == "__main__":
    main()
