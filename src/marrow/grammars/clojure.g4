// Clojure (1.11), after its reference of the reader (clojure.org/reference/reader). A program is a
// sequence of forms; what a form means is not syntax in Clojure, so special forms have no rules.

grammar clojure;

clojure : element* EOF ;

// What may stand in a list. Discarded forms and spliced ones are not forms: a form is one value.
element : form | discarded | readerConditionalSplicing ;

form
    : literal
    | SYMBOL
    | list
    | vector
    | map
    | set
    | namespacedMap
    | quote
    | syntaxQuote
    | unquote
    | unquoteSplicing
    | deref
    | metadata
    | varQuote
    | anonymousFunction
    | readerConditional
    | taggedLiteral
    | readEval
    ;

literal : STRING | NUMBER | CHARACTER | KEYWORD | REGEX | SYMBOLIC_VALUE | 'nil' | 'true' | 'false' ;

list : '(' element* ')' ;

vector : '[' element* ']' ;

map : '{' (entry | discarded | readerConditionalSplicing)* '}' ;

entry : form discarded* form ;

set : '#{' element* '}' ;

namespacedMap : (KEYWORD_PREFIX | '#::') map ;

quote : '\'' form ;

syntaxQuote : '`' form ;

unquote : '~' form ;

unquoteSplicing : '~@' form ;

deref : '@' form ;

metadata : ('^' | '#^') form discarded* form ;

varQuote : '#\'' form ;

anonymousFunction : '#(' element* ')' ;

discarded : '#_' discarded* form ;

readerConditional : '#?' '(' (entry | discarded)* ')' ;

readerConditionalSplicing : '#?@' '(' (entry | discarded)* ')' ;

taggedLiteral : '#' SYMBOL form ;

readEval : '#=' form ;

STRING : '"' (~["\\] | ESCAPE)* '"' ;

fragment ESCAPE : '\\' [tbnrf"\\] | '\\u00' [4-6] [1-9a-f] | RareEscape ;

// Anything behind a backslash: the reader refuses most of it.
fragment RareEscape : '\\' . ;

REGEX : '#"' (~["\\()[\]{}*+?|^$] | '\\' [dDsSwW.*+?()|\\] | RareRegular)* '"' ;

// What has a meaning beside others, and none alone.
fragment RareRegular : ~["\\] | '\\' . ;

NUMBER
    : SIGN? ('0' | [1-9] [0-9]*) 'N'?
    | SIGN? '0' [0-7]+ 'N'?
    | SIGN? '0' [xX] [0-9a-fA-F]+ 'N'?
    | SIGN? ('2' [rR] [01]+ | '16' [rR] [0-9a-fA-F]+ | '36' [rR] [0-9a-zA-Z]+)
    | RareRadix
    | SIGN? [0-9]+ '/' [1-9] [0-9]*
    | SIGN? [0-9]+ ('.' [0-9]*)? ([eE] SIGN? [0-9]+)? 'M'?
    ;

// Refused, so that it is not read as a number and a symbol.
BAD_NUMBER : SIGN? [0-9] CONSTITUENT* ;

fragment SIGN : [+-] ;

// Digits of any base, and a denominator of zero: not all of these are numbers.
fragment RareRadix : SIGN? [0-9] [0-9]? [rR] [0-9a-zA-Z]+ 'N'? | SIGN? [0-9]+ '/' [0-9]+ ;

// Whatever follows the backslash, even a delimiter, and the rest of a name such as \newline.
CHARACTER : '\\' [a-zA-Z0-9!?*+-] | '\\' ('newline' | 'space' | 'tab') | RareCharacter ;

fragment RareCharacter : '\\' . CONSTITUENT* ;

KEYWORD : ':' ':'? [a-zA-Z] [a-zA-Z0-9*+!_?-]* | RareKeyword ;

// The reader looks at slashes and colons inside of names, and aliases must be known.
fragment RareKeyword : ':' ':'? (NAME_START | [0-9#%+-]) CONSTITUENT* ;

// The namespace of the map that follows at once: #:person{...}, #::alias{...}.
KEYWORD_PREFIX : '#:' [a-zA-Z] [a-zA-Z0-9*+!_?-]* | RareKeywordPrefix ;

// Aliases must be known.
fragment RareKeywordPrefix : '#:' ':'? NAME_START CONSTITUENT* ;

SYMBOLIC_VALUE : '##' ('Inf' | '-Inf' | 'NaN') ;

SYMBOL : [a-zA-Z*!_?<>=] [a-zA-Z0-9*+!_?<>='-]* | '/' | SIGN | RareSymbol ;

fragment RareSymbol : NAME_START CONSTITUENT* | SIGN (NAME_START | [:#'+-]) CONSTITUENT* ;

// The reader ends a name at white space (a comma is that) and at these: " ; @ ^ ` ~ ( ) [ ] { } \
fragment CONSTITUENT : ~[ \t\r\n\f\u000B\u001C-\u001F,";@^`~()[\]{}\\] ;

fragment NAME_START : ~[ \t\r\n\f\u000B\u001C-\u001F,";@^`~()[\]{}\\:#'0-9+\-\uFEFF] ;

WHITE_SPACE : [ \t\r\n\f\u000B\u001C-\u001F,\p{Zs}\u2028\u2029]+ -> skip ;

COMMENT : (';' | '#!') ~[\r\n]* -> channel(HIDDEN) ;

BYTE_ORDER_MARK : '\uFEFF' -> skip ;
