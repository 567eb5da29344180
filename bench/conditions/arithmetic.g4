// Sums and products of numbers.
grammar arithmetic;
start : expr EOF ;
expr : term (('+' | '-') term)* ;
term : factor (('*' | '/') factor)* ;
factor : number | '(' expr ')' ;
number : digit+ ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
