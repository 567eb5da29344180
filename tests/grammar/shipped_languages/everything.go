// Package sample has all of the language, more or less.
package sample

import "fmt"
import (
	"math"; . "strings"
	_ "embed"
	other "a/b"
)

const Pi, E = 3.14, 2.71
const (
	A Kind = iota
	B
	C = 0x1F + 0b11 + 0o17 + 1_000 + 0x1p-2 + 1i + .5e3 // comment
)

var x, y int = 1, 2
var (
	m   = map[string][]int{"a": {1, 2}, "b": nil}
	f   func(int, ...string) (n int, err error)
	arr [4 + 1]*T
	ch  chan<- int
)

type (
	T struct {
		A, B int `json:"a"`
		*Embedded
		other.Thing "tag"
		Generic[int]
		F func() struct{}
	}
	Empty  struct{}
	Alias  = []byte
	Number interface {
		~int | ~float64
		String() string
		fmt.Stringer
	}
	Pair[K comparable, V any] struct { Key K; Value V }
	Ch <-chan (<-chan int)
)

func (t *T) Method(a, b int, rest ...string) (result int, err error) { return a + b, nil }

func Map[K, V any](in []K, f func(K) V) []V

func noResult() {}

func qualified(fmt.Stringer, ...int) *other.Thing { return nil }

func statements(n int) error {
	var a int
	b, c := 1, "two"
	a, b = b, a
	a += 1; a <<= 2; a &^= 3; a++; b--
	arr[0], m["x"] = 1, nil
	*p = &T{A: 1, B: 2}
	ch <- <-in
	if a > 1 && !ok || b == 2 {
		return nil
	} else if v, ok := m["a"]; ok {
	} else {
		goto end
	}
	for {
		break
	}
	for a < 10 {
		continue
	}
loop:
	for i := 0; i < n; i++ {
		for ; ; {
			break loop
		}
	}
	for k, v := range m { fmt.Println(k, v) }
	for range ch {
	}
	for i = range arr { _ = i }
	switch x := f(); x {
	case 1, 2:
		fallthrough
	case 3:
	default:
		a = 1
	}
	switch {
	case a > b: return nil
	}
	switch t := any(x).(type) {
	case int, *T, []string, func(int) string, map[string]int:
		_ = t
	case nil:
	}
	select {
	case v := <-ch:
		_ = v
	case ch <- 1:
	default:
	}
	go func() { recover() }()
	defer mu.Unlock()
	const local = 1
	type inner struct{ x int }
	{
		var z = struct{ a int }{1}
		_ = z
	}
end:
	return fmt.Errorf("x: %w", err)
}

func expressions() (r rune) {
	s := arr[1:2]; s = s[:]; s = s[1:2:3]; s = s[:n]
	v := x.(int) + y.z.w.(other.T).f()[1].g
	u := []byte("x") ; w := (*T)(nil); k := map[string]int(nil); _ = interface{}(3); _ = [...]string{2: "a", "b"}
	_ = a*b/c%d<<e>>f&g&^h + i - j | k ^ l == m != n < o
	_ = -a + +b ^ ^c - *d
	_ = f(a, b...)
	_ = make(chan int, 3)
	_ = Map[int, string](xs, func(i int) string { return "" })
	_ = Pair[string, int]{"a", 1}
	_ = &[]*T{{A: 1}, {B: 2}}
	_ = new(*[]int)
	_ = 'a' + '\n' + '\'' + '\x41' + '\u1234'
	_ = `raw
string`
	call(
		1,
		func() {},
	)
	chain().
		next().
		last()
	return
}
