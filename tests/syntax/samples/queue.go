// Package queue has a queue.
package queue

import (
	"errors"
	"fmt"
)

const (
	first = iota
	second
)

type Queue[T any] struct {
	items []T `json:"items"`
	limit int
}

var errEmpty = errors.New("empty")

func (q *Queue[T]) Push(items ...T) (count int, err error) {
	for i, item := range items {
		if len(q.items) >= q.limit && i > 0 {
			return i, fmt.Errorf("full: %v", item)
		} else if q.limit == second {
			continue
		}
		q.items = append(q.items, item)
	}
	defer func() { count++ }()
	return len(items), nil
}

func run(done chan<- bool) {
	q := &Queue[int]{limit: 3, items: []int{1, 2}}
	go func() { done <- true }()
	select {
	case v, ok := <-make(chan int):
		_, _ = v, ok
	default:
		switch x := interface{}(q).(type) {
		case nil, error:
			fmt.Println(x, `raw
text`)
		}
	}
	_ = map[string]int{"a": 1, "b": 'b'}
}
