// JSON, after RFC 8259 (ECMA-404). The names of the rules are those of the RFC.

grammar json;

json : value EOF ;

value : object | array | STRING | NUMBER | 'true' | 'false' | 'null' ;

object : '{' (member (',' member)*)? '}' ;

member : STRING ':' value ;

array : '[' (value (',' value)*)? ']' ;

STRING : '"' (UNESCAPED | ESCAPED)* '"' ;

fragment UNESCAPED : ~["\\\u0000-\u001F] ;
fragment ESCAPED : '\\' (["\\/bfnrt] | 'u' HEX HEX HEX HEX) ;
fragment HEX : [0-9a-fA-F] ;

NUMBER : '-'? INT ('.' [0-9]+)? ([eE] [+-]? [0-9]+)? ;

fragment INT : '0' | [1-9] [0-9]* ;

WHITE_SPACE : [ \t\r\n]+ -> skip ;

// RFC 8259, section 8.1: a parser may ignore a byte order mark.
BYTE_ORDER_MARK : '\uFEFF' -> skip ;
