#!/usr/bin/env node
'use strict'
var a = 1
let b = a
  + 2
const c = function () {
  return
}
const d = () => {
  a++
  return a
}
let e = a
/ 2 / 3
a
++
b
if (a) b()
else c()
do a--; while (a) b = 1
do { a } while (b)
foo()
  .bar()
  ?.baz
var f = { x: 1,
  y: 2
}
var g = class { m() { } get n() { return 1 } static o = 3
  p = 4
  q
  ;[a] = 5
}
async function h() { await a
  for await (const x of y) { continue }
  return }
class K extends L {
  constructor(a) { super(a) }
  static async *gen() { yield
    yield* a }
  catch(e) { return e }
  if(x) { }
}
throw a
while (a) { break }
x = a ? function () { } : { b: 1 }
y = a ? b : c
label: for (;;) { continue label }
switch (a) { case 1: b(); break
  case 2: { c() } break; default: d() }
try { a() } catch { b() } finally { c() }
export default class { }
export { a as default, b }
export * as ns from 'm'
import z, { y as w } from 'n'
import 'side-effect'
import * as all from "o"
z = a in b
  instanceof c
last
