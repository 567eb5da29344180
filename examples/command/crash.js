"use strict";

class Order {
  constructor(name, items = []) {
    this.name = name;
    this.items = items;
    this.state = { kind: "open" };
  }

  pay(price) {
    this.state = { kind: "paid", price };
    return this;
  }
}

class Shop {
  #prices = new Map();
  orders = [];

  set(prices) {
    for (const [name, price] of Object.entries(prices)) this.#prices.set(name, { price });
  }

  price(order) {
    let total = 0;
    for (const item of order.items) {
      total += this.#prices.get(item).price;
    }
    return total;
  }

  cheapest() {
    const sorted = [...this.orders].sort((a, b) => this.price(a) - this.price(b));
    return sorted[0]?.name;
  }
}

const shop = new Shop();
shop.set({ apple: 3, pear: 4, fig: 5 });
shop.orders.push(new Order("ann", ["apple", "fig"]));
shop.orders.push(new Order("bob", ["pear"]));
console.log(shop.cheapest());
for (const order of shop.orders) {
  console.log(`${order.name}: ${order.pay(shop.price(order)).state.price}`);
}
shop.orders.push(new Order("cid", ["fig", "plum"]));
console.log(shop.cheapest());
shop.orders.at(7).pay(null).state.price.toFixed(2);
