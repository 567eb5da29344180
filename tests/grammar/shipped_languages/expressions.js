var re = /[/\]]+\/(?:a|b)/gi, div = a / b / c, x = (a) / b, y = a[0] / 2, z = a++ / 2;
if (a) /re/.test(b); while (/x/.exec(c)) { } /y/.test(d);
function f(a, {b, c: [d = 1, , e], ...rest} = {}, [g, ...h], ...i) { return /x/ }
var t = `a ${b + `nested ${c}`} $ $$ {x} \` \${ }`, tagged = tag`x${y}z`;
var o = { a, b: 1, 'c': 2, 3: 4, [d + e]: 5, f() { }, get g() { return 1 }, set g(v) { }, async h() { }, *i() { }, async *j() { }, if: 1, class: 2, get: 3, async: 4, ...k, get, set() { }, };
({ a, b = 2 } = c); [a, , b = 1, ...c] = d; [] = []; [,] = [1, ,];
a = b ? c : d ? e : f; a ??= b || c && d | e ^ f & g == h != i === j !== k < l > m <= n >= o << p >> q >>> r + s - t * u / v % w ** x ** y;
a += 1; a -= 1; a *= 1; a /= 1; a %= 1; a **= 1; a <<= 1; a >>= 1; a >>>= 1; a &= 1; a ^= 1; a |= 1; a &&= 1; a ||= 1;
b = (c ?? d), !e, ~f, -g, +h, typeof i, void 0, delete j.k, ++l, --m, n++, o--;
new A; new A(); new a.b.C(1)(2); new (f())(); new new X()(); new.target; import('x').then(y => import.meta);
a => b; (a) => b; (a, b) => ({ c }); () => { }; async x => await x; async (a, b) => { }; async () => 1; (a, ...b) => c; ({a, b: c}, [d] = []) => e; (...a) => a; (a,) => a;
async(a, b); async = 1; get(set, of, from, as, static);
a?.b?.[c]?.(d)?.e; a.if.class.function.return; this.#p; super.x;
for (var i = 0, n = 1; i < n; i++); for (;;) break; for (x in y) ; for (var k in o) ; for (const [a, b] of c) ; for (a.b of c) ; for (let i = 'x' in y; ;) ;
0x1F + 0b11 + 0o17 + 1_000n + .5 + 1. + 1e-3 + 012 + 'it\'s' + "a\
b" + "\u{1F600}";
class B extends (a, b) { static x = 1; #y; static { a(); } get z() { } set z(v) { } static async f() { } [c]() { } 'd'() { } 5() { } async() { } get() { } static() { }; }
(function () { })(); (class { }); (async function* () { yield; yield a; yield* b; });
a = b, c; with (d) e; debugger; ;
label: { break label; }
switch (a) { case 1: case 2: b; default: }
var u\u{61}b, ünï, $, _;
