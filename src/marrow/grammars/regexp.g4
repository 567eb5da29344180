// Regular expressions as Python, JavaScript, Java, Ruby and Perl read them, without their modes: white
// space and `#` are characters.

grammar regexp;

expression : alternatives EOF ;

alternatives : branch ('|' branch)* ;

branch : piece* ;

piece : atom QUANTIFIER? ;

atom
    : CHARACTER
    | ANY
    | ANCHOR
    | ESCAPED
    | FLAGS
    | (SET_OPEN | SET_OPEN_NEGATED) setItem+ SET_CLOSE
    | (OPEN | CONDITION) alternatives ')'
    ;

setItem : RANGE | CLASS | SET_ESCAPED | SET_CHARACTER ;

QUANTIFIER : ([*+?] | '{' [0-9]+ (',' [0-9]*)? '}' | '{,' [0-9]+ '}') [?+]? ;

ANY : '.' ;

ANCHOR : [$^] ;

// Lookaround, names and flags belong to the parenthesis.
OPEN : '(' ('?' ([:=!>|] | '<' [=!] | 'P'? '<' NAME '>' | '\'' NAME '\'' | [a-zA-Z-]+ ':'))? ;

// Which alternative holds depends on a group.
CONDITION : '(?(' (NAME | [0-9]+) ')' ;

// Flags, a comment, what a named group matched.
FLAGS : '(?' ([a-zA-Z-]+ | '#' ~[)]* | 'P=' NAME) ')' ;

fragment NAME : [a-zA-Z_] [a-zA-Z0-9_]* ;

ESCAPED : ESCAPE ;

fragment ESCAPE
    : '\\' (~[xupPkc1-9] | [1-9] [0-9]* | 'x' HEX HEX | 'u' HEX HEX HEX HEX | 'u{' HEX+ '}' | [xuckpP])
    | '\\' ([pP] '{' ~[}]+ '}' | 'k<' NAME '>' | 'c' [a-zA-Z])
    ;

fragment HEX : [0-9a-fA-F] ;

SET_OPEN_NEGATED : '[^' -> pushMode(SET) ;

SET_OPEN : '[' -> pushMode(SET) ;

CHARACTER : ~[\\()|[*+?.^$] ;

mode SET;

SET_CLOSE : ']' -> popMode ;

CLASS : '[:' '^'? [a-z]+ ':]' ;

RANGE : (ESCAPE | ~[\\\]]) '-' (ESCAPE | ~[\\\]]) ;

SET_ESCAPED : ESCAPE ;

SET_CHARACTER : ~[\\\]] ;
