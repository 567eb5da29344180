// A shopping cart. Some lines end without a semicolon.
import { currency } from './money.js'

const TAX = 0.19
let items = []

class Cart extends Base {
  #count = 0
  static create(...args) { return new Cart(...args) }
  add({ name, price = 0 }, times = 1) {
    for (let i = 0; i < times; i++) items.push({ name, price, [name]: price })
    this.#count += times
    return this
  }
  get total() {
    return items
      .map(item => item.price)
      .reduce((sum, price) => sum + price, 0)
  }
}

const label = `total: ${currency(new Cart().total * (1 + TAX))} for ${items.length} items`
const pattern = /ab+[c/]/gi, text = "a\"b" + 'c'
if (pattern.test(label)) { console.log(label) } else console.log(text)

var a = 1
var b = a
++b
;[1, 2].forEach(x => { a -= -x })
export default async function* run() { try { yield await 1 } catch { return } finally { a++ } }
