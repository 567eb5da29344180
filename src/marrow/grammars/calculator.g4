// The calculator of the DDSET paper (its Figure 2): every terminal is a single character.
//
// What differs from the figure: lists are written with `+` instead of recursion, `var` is one or
// more `char` (the figure's `chars` has no rule), and there may be spaces around operators and
// inside parentheses, as in the paper's input `1 + ((2 * 3 / 4))`.

grammar calculator;

start : space* expr space* EOF ;

expr
    : int
    | var
    | prefix space* expr
    | '(' space* expr space* ')'
    | expr space* op space* expr
    ;

op : '+' | '-' | '*' | '/' ;

prefix : '+' | '-' ;

int : digit+ ;

var : char+ ;

digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;

char : 'a' | 'b' | 'c' | 'd' | 'e' | 'f' ;

space : ' ' ;
