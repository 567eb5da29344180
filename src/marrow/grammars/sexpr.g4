// S-expressions: what the readers of Lisp, Scheme and their relatives have in common.

grammar sexpr;

sexpr : expression* EOF ;

expression : list | vector | quoted | atom ;

list : '(' expression* ('.' expression)? ')' ;

vector : '[' expression* ']' | VECTOR_OPEN expression* ')' ;

// A prefix and what it stands in front of; also `#;` of Scheme, which leaves an expression out, and `#+`
// and `#-` of Common Lisp with their condition.
quoted
    : ('\'' | '`' | ',' | ',@' | ',.' | '#\'' | '#`' | '#,' | '#,@' | '#;' | '#+' | '#-' | '#.') expression
    ;

atom : SYMBOL | NUMBER | STRING | CHARACTER ;

STRING : '"' (~["\\] | '\\' ["\\nt] | RareEscape)* '"' ;

// What may stand behind a backslash is different in every Lisp.
fragment RareEscape : '\\' . ;

CHARACTER : '#\\' [a-zA-Z0-9!?*+-] | '#\\' ('newline' | 'space') | RareCharacter ;

fragment RareCharacter : '#\\' . [a-zA-Z0-9]* ;

NUMBER
    : [+-]? [0-9]+
    | [+-]? ([0-9]+ '.' [0-9]* | '.' [0-9]+ | [0-9]+) [eE] [+-]? [0-9] [0-9]?
    | [+-]? ([0-9]+ '.' [0-9]* | '.' [0-9]+)
    | [+-]? [0-9]+ '/' [1-9] [0-9]*
    | RareNumber
    ;

// Too large, or divided by zero.
fragment RareNumber : [+-]? ([0-9]+ ('.' [0-9]*)? | '.' [0-9]+) [eE] [+-]? [0-9]+ | [+-]? [0-9]+ '/' [0-9]+ ;

VECTOR_OPEN : '#(' | RareVectorOpen ;

// #u8( of Scheme, #2A( and #S( of Common Lisp
fragment RareVectorOpen : '#' [a-zA-Z0-9]* '(' ;

SYMBOL : [a-zA-Z*!_?<>=/&^~$%] [a-zA-Z0-9*+!_?<>=/&^~$%.-]* | [+*-] | RareSymbol ;

// Anything else that is not punctuation, `|two words|`, and `#t`, `#x1F`, `#:key`, `#1=`, `#1#`, `#{a b}#`.
fragment RareSymbol : (CONSTITUENT | '|' ~'|'* '|') (CONSTITUENT | '#' | '\'' | '|' ~'|'* '|')*
       | '#' [a-zA-Z0-9:!%&<@*] (CONSTITUENT | '#')*
       | '#{' .*? '}#' ;

fragment CONSTITUENT : ~[ \t\r\n\f()[\]"'`,;#|\\\u0000-\u0008] | '\\' . ;

WHITE_SPACE : [ \t\r\n\f]+ -> skip ;

COMMENT : ';' ~[\r\n]* -> channel(HIDDEN) ;

BLOCK_COMMENT : '#|' (BLOCK_COMMENT | .)*? '|#' -> channel(HIDDEN) ;
