package a
import."fmt"
func a(a string,b...any){Printf(a,b)}