// Lua 5.3, after section 9 of its reference manual ("The Complete Syntax of Lua"). The names of the
// rules are the manual's, spelled out; what it writes as recursion is written as lists here.

grammar lua;

chunk : block EOF ;

block : statement* returnStatement? ;

statement
    : ';'
    | variableList '=' expressionList
    | functionCall
    | label
    | 'break'
    | 'goto' NAME
    | 'do' block 'end'
    | 'while' expression 'do' block 'end'
    | 'repeat' block 'until' expression
    | 'if' expression 'then' block elseIf* else? 'end'
    | 'for' NAME '=' expression ',' expression (',' expression)? 'do' block 'end'
    | 'for' nameList 'in' expressionList 'do' block 'end'
    | 'function' functionName functionBody
    | 'local' 'function' NAME functionBody
    | 'local' nameList ('=' expressionList)?
    ;

elseIf : 'elseif' expression 'then' block ;

else : 'else' block ;

returnStatement : 'return' expressionList? ';'? ;

label : '::' NAME '::' ;

functionName : NAME ('.' NAME)* (':' NAME)? ;

variableList : variable (',' variable)* ;

nameList : NAME (',' NAME)* ;

expressionList : expression (',' expression)* ;

expression
    : 'nil'
    | 'false'
    | 'true'
    | NUMBER
    | STRING
    | '...'
    | functionDefinition
    | prefixExpression
    | tableConstructor
    | <assoc = right> expression '^' expression
    | ('not' | '#' | '-' | '~') expression
    | expression ('*' | '/' | '//' | '%') expression
    | expression ('+' | '-') expression
    | <assoc = right> expression '..' expression
    | expression ('<<' | '>>') expression
    | expression '&' expression
    | expression '~' expression
    | expression '|' expression
    | expression ('<' | '>' | '<=' | '>=' | '~=' | '==') expression
    | expression 'and' expression
    | expression 'or' expression
    ;

prefixExpression : variable | functionCall | parenthesized ;

variable : NAME | primary suffix* index ;

functionCall : primary suffix* call ;

primary : NAME | parenthesized ;

parenthesized : '(' expression ')' ;

suffix : index | call ;

index : '[' expression ']' | '.' NAME ;

call : (':' NAME)? arguments ;

arguments : '(' expressionList? ')' | tableConstructor | STRING ;

functionDefinition : 'function' functionBody ;

functionBody : '(' parameterList? ')' block 'end' ;

parameterList : nameList (',' '...')? | '...' ;

tableConstructor : '{' fieldList? '}' ;

fieldList : field (fieldSeparator field)* fieldSeparator? ;

field : '[' expression ']' '=' expression | NAME '=' expression | expression ;

fieldSeparator : ',' | ';' ;

NAME : [a-zA-Z_] [a-zA-Z_0-9]* ;

STRING
    : '"' (~["\\\r\n] | ESCAPE)* '"'
    | '\'' (~['\\\r\n] | ESCAPE)* '\''
    | LONG_BRACKET
    ;

// A backslash at the end of a line, `\z` with the white space after it, or one of the others.
fragment ESCAPE
    : '\\' ([abfnrtv\\"'] | '\r'? '\n' | '\r')
    | '\\x' HEX HEX
    | '\\z' [ \t\r\n\u000B\f]*
    | '\\' [0-9] ([0-9] [0-9]?)?
    | '\\u{' HEX+ '}'
    ;

fragment HEX : [0-9a-fA-F] ;

// The two brackets have the same number of equals signs.
fragment LONG_BRACKET : '[' LEVEL ']' ;

fragment LEVEL : '=' LEVEL '=' | '[' .*? ']' ;

NUMBER
    : ([0-9]+ ('.' [0-9]*)? | '.' [0-9]+) ([eE] [+-]? [0-9]+)?
    | '0' [xX] (HEX+ ('.' HEX*)? | '.' HEX+) ([pP] [+-]? [0-9]+)?
    ;

LONG_COMMENT : '--' LONG_BRACKET -> channel(HIDDEN) ;

// To the end of the line, unless it begins like a long one.
COMMENT : '--' (~[[\r\n] ~[\r\n]* | '[' '='* (~[=[\r\n] ~[\r\n]*)?)? -> channel(HIDDEN) ;

// The first line of a script.
SHEBANG : '#!' ~[\r\n]* -> channel(HIDDEN) ;

WHITE_SPACE : [ \t\r\n\u000B\f]+ -> skip ;

BYTE_ORDER_MARK : '\uFEFF' -> skip ;
