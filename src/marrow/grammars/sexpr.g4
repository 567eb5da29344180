// S-expressions: what the readers of Lisp, Scheme and their relatives have in common.

grammar sexpr;

sexpr : expression* EOF ;

expression : list | vector | quoted | atom ;

list : '(' expression* ('.' expression)? ')' ;

vector : ('[' expression* ']') | ('#(' expression* ')') ;

quoted : ('\'' | '`' | ',' | ',@' | '#\'') expression ;

atom : SYMBOL | NUMBER | STRING | CHARACTER ;

STRING : '"' (~["\\] | '\\' .)* '"' ;

CHARACTER : '#\\' . [a-zA-Z0-9]* ;

NUMBER : [+-]? ([0-9]+ ('.' [0-9]*)? | '.' [0-9]+) ([eE] [+-]? [0-9]+)? | [+-]? [0-9]+ '/' [0-9]+ ;

// Anything else that is not punctuation, `|two words|`, and the `#t`, `#f`, `#x1F` of Scheme.
SYMBOL : (CONSTITUENT | '|' ~'|'* '|') (CONSTITUENT | '#' | '\'' | '|' ~'|'* '|')*
       | '#' [a-zA-Z:!] (CONSTITUENT | '#')* ;

fragment CONSTITUENT : ~[ \t\r\n\f()[\]"'`,;#|\\\u0000-\u0008] | '\\' . ;

WHITE_SPACE : [ \t\r\n\f]+ -> skip ;

COMMENT : ';' ~[\r\n]* -> channel(HIDDEN) ;

BLOCK_COMMENT : '#|' (BLOCK_COMMENT | .)*? '|#' -> channel(HIDDEN) ;
