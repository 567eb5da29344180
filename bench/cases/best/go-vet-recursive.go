package a
import."fmt"
type a int
func(a a)String()string{return Sprint(a)}