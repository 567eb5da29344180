/**
 * Go, after the language specification for Go 1.19.
 *
 * The specification has the lexer insert a semicolon at the end of a line whose last token may end
 * a statement. After such a token the lexer is in the mode AFTER_OPERAND, in which a line break is
 * the token LINE_END; everywhere else it is white space.
 *
 * A name with dots may be a variable, a field, a type or a package's; it is read as `name`, and what
 * follows makes it a type or an expression.
 */
grammar go;

sourceFile
    : packageClause (end importDeclaration)* (end declaration)* end? EOF
    ;

/** What ends a statement. */
end
    : ';'
    | LINE_END
    ;

packageClause
    : 'package' IDENTIFIER
    ;

importDeclaration
    : 'import' importSpec
    | 'import' '(' (importSpec (end importSpec)*)? end? ')'
    ;

importSpec
    : ('.' | IDENTIFIER)? STRING
    ;

declaration
    : constDeclaration
    | typeDeclaration
    | varDeclaration
    | functionDeclaration
    ;

constDeclaration
    : 'const' constSpec
    | 'const' '(' (constSpec (end constSpec)*)? end? ')'
    ;

constSpec
    : identifierList
    | identifierList type? '=' expressionList
    ;

varDeclaration
    : 'var' varSpec
    | 'var' '(' (varSpec (end varSpec)*)? end? ')'
    ;

varSpec
    : identifierList type ('=' expressionList)?
    | identifierList '=' expressionList
    ;

typeDeclaration
    : 'type' typeSpec
    | 'type' '(' (typeSpec (end typeSpec)*)? end? ')'
    ;

typeSpec
    : IDENTIFIER typeParameters? '='? type
    ;

functionDeclaration
    : 'func' parameters? IDENTIFIER typeParameters? signature block?
    ;

identifierList
    : IDENTIFIER (',' IDENTIFIER)*
    ;

name
    : IDENTIFIER ('.' IDENTIFIER)*
    ;

// Types

typeParameters
    : '[' typeParameter (',' typeParameter)* ','? ']'
    ;

typeParameter
    : identifierList constraint
    ;

constraint
    : constraintTerm ('|' constraintTerm)*
    ;

constraintTerm
    : '~'? type
    ;

type
    : plainType
    | '(' type ')'
    ;

plainType
    : typeName
    | typeLiteral
    | '*' type
    ;

typeName
    : name typeArguments?
    ;

typeArguments
    : '[' type (',' type)* ','? ']'
    ;

/** A type that cannot be taken for an expression. */
typeLiteral
    : arrayType
    | sliceType
    | structType
    | functionType
    | interfaceType
    | mapType
    | channelType
    ;

arrayType
    : '[' (expression | '...') ']' type
    ;

sliceType
    : '[' ']' type
    ;

mapType
    : 'map' '[' type ']' type
    ;

channelType
    : 'chan' '<-'? type
    | '<-' 'chan' type
    ;

structType
    : 'struct' '{' (fieldDeclaration (end fieldDeclaration)*)? end? '}'
    ;

fieldDeclaration
    : identifierList type STRING?
    | '*'? typeName STRING?
    ;

interfaceType
    : 'interface' '{' (interfaceElement (end interfaceElement)*)? end? '}'
    ;

interfaceElement
    : IDENTIFIER signature
    | constraint
    ;

functionType
    : 'func' signature
    ;

signature
    : parameters result?
    ;

result
    : parameters
    | plainType
    ;

parameters
    : '(' (parameter (',' parameter)*)? ','? ')'
    ;

parameter
    : IDENTIFIER? '...'? type
    ;

// Statements

block
    : '{' statements? '}'
    ;

statements
    : statement (end statement)* end?
    | end
    ;

statement
    : constDeclaration
    | typeDeclaration
    | varDeclaration
    | IDENTIFIER ':' statement?
    | simpleStatement
    | 'go' expression
    | 'defer' expression
    | 'return' expressionList?
    | 'break' IDENTIFIER?
    | 'continue' IDENTIFIER?
    | 'goto' IDENTIFIER
    | 'fallthrough'
    | block
    | ifStatement
    | switchStatement
    | selectStatement
    | forStatement
    ;

simpleStatement
    : expressionList
    | expressionList assignmentOperator expressionList
    | expression '<-' expression
    | expression ('++' | '--')
    ;

assignmentOperator
    : '=' | ':=' | '+=' | '-=' | '|=' | '^=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '&=' | '&^='
    ;

/** Chains of `else if` are lists: flat, and any part of them can go. */
ifStatement
    : 'if' condition block ('else' 'if' condition block)* ('else' block)?
    ;

condition
    : (simpleStatement? ';')? expression
    ;

switchStatement
    : 'switch' (simpleStatement? ';')? simpleStatement? '{' caseClause* '}'
    ;

caseClause
    : ('case' argument (',' argument)* | 'default') ':' statements?
    ;

selectStatement
    : 'select' '{' communicationClause* '}'
    ;

communicationClause
    : ('case' simpleStatement | 'default') ':' statements?
    ;

forStatement
    : 'for' expression? block
    | 'for' simpleStatement? ';' expression? ';' simpleStatement? block
    | 'for' (expressionList ('=' | ':='))? 'range' expression block
    ;

// Expressions

expressionList
    : expression (',' expression)*
    ;

expression
    : name
    | primary
    | ('+' | '-' | '!' | '^' | '*' | '&' | '<-') expression
    | expression ('*' | '/' | '%' | '<<' | '>>' | '&' | '&^') expression
    | expression ('+' | '-' | '|' | '^') expression
    | expression ('==' | '!=' | '<' | '<=' | '>' | '>=') expression
    | expression '&&' expression
    | expression '||' expression
    ;

primary
    : literal
    | compositeLiteral
    | functionType block
    | '(' argument ')'
    | typeLiteral arguments
    | name arguments
    | primary arguments
    | primary '.' IDENTIFIER
    | IDENTIFIER ('.' IDENTIFIER)* '.' '(' (type | 'type') ')'
    | primary '.' '(' (type | 'type') ')'
    | name indexes
    | primary indexes
    | name slice
    | primary slice
    ;

literal
    : NUMBER
    | CHARACTER
    | STRING
    ;

compositeLiteral
    : typeLiteral literalValue
    | name literalValue
    | name indexes literalValue
    ;

literalValue
    : '{' (element (',' element)*)? ','? '}'
    ;

element
    : (elementValue ':')? elementValue
    ;

elementValue
    : expression
    | literalValue
    ;

indexes
    : '[' argument (',' argument)* ','? ']'
    ;

slice
    : '[' expression? ':' expression? (':' expression)? ']'
    ;

arguments
    : '(' (argument (',' argument)*)? '...'? ','? ')'
    ;

/** Where an expression or a type may stand. */
argument
    : expression
    | typeLiteral
    | '*'+ typeLiteral
    ;

// Tokens. Those that may end a statement make the lexer look for the end of the line.

CLOSING_PARENTHESIS : ')' -> mode(AFTER_OPERAND);
CLOSING_BRACKET : ']' -> mode(AFTER_OPERAND);
CLOSING_BRACE : '}' -> mode(AFTER_OPERAND);
INCREMENT : '++' -> mode(AFTER_OPERAND);
DECREMENT : '--' -> mode(AFTER_OPERAND);
BREAK : 'break' -> mode(AFTER_OPERAND);
CONTINUE : 'continue' -> mode(AFTER_OPERAND);
FALLTHROUGH : 'fallthrough' -> mode(AFTER_OPERAND);
RETURN : 'return' -> mode(AFTER_OPERAND);

IDENTIFIER
    : Letter (Letter | [\p{Nd}])* -> mode(AFTER_OPERAND)
    ;

fragment Letter
    : [a-zA-Z_\p{L}]
    ;

NUMBER
    : ('0' | [1-9] ('_'? [0-9])* | RareDecimal | '0' [xX] '_'? Hex ('_'? Hex)* | '0' [oO] '_'? [0-7] ('_'? [0-7])*
      | '0' [bB] '_'? [01] ('_'? [01])* | Decimal '.' Decimal? Exponent? | Decimal Exponent | '.' Decimal Exponent?
      | '0' [xX] ('_'? Hex ('_'? Hex)* ('.' (Hex ('_'? Hex)*)?)? | '.' Hex ('_'? Hex)*) BinaryExponent)
      'i'? -> mode(AFTER_OPERAND)
    ;

/** Digits behind a zero are octal, and no number if one is too large. */
fragment RareDecimal
    : Decimal
    ;

fragment Decimal
    : [0-9] ('_'? [0-9])*
    ;

fragment Hex
    : [0-9a-fA-F]
    ;

fragment Exponent
    : [eE] [+-]? [0-9] [0-9]?
    | RareExponent
    ;

fragment BinaryExponent
    : [pP] [+-]? [0-9] [0-9]?
    | RareBinaryExponent
    ;

/** Numbers that are too large for any type. */
fragment RareExponent
    : [eE] [+-]? Decimal
    ;

fragment RareBinaryExponent
    : [pP] [+-]? Decimal
    ;

CHARACTER
    : '\'' (Escape | '\\\'' | ~['\\\r\n]) '\'' -> mode(AFTER_OPERAND)
    ;

STRING
    : ('"' (Escape | '\\"' | ~["\\\r\n])* '"' | '`' ~[`]* '`') -> mode(AFTER_OPERAND)
    ;

fragment Escape
    : '\\' [abfnrtv\\]
    | '\\' [0-3] [0-7] [0-7]
    | '\\x' Hex Hex
    | '\\u' [0-9a-c] Hex Hex Hex
    | '\\U000' [01] Hex Hex Hex Hex
    | RareEscape
    ;

/** Codes beyond those of a byte or of Unicode, halves of pairs, the other kind of quote. */
fragment RareEscape
    : '\\' ['"]
    | '\\' [0-7] [0-7] [0-7]
    | '\\u' Hex Hex Hex Hex
    | '\\U' Hex Hex Hex Hex Hex Hex Hex Hex
    ;

WHITE_SPACE
    : [ \t\r\n\uFEFF]+ -> skip
    ;

BLOCK_COMMENT
    : '/*' .*? '*/' -> skip
    ;

LINE_COMMENT
    : '//' ~[\n]* -> skip
    ;

mode AFTER_OPERAND;

LINE_END
    : '\n' -> mode(DEFAULT_MODE)
    ;

SPACE_IN_LINE
    : [ \t\r]+ -> skip
    ;

BLOCK_COMMENT_IN_LINE
    : '/*' .*? '*/' -> skip
    ;

LINE_COMMENT_BEFORE_END
    : '//' ~[\n]* -> skip
    ;

SAME_LINE
    : -> skip, mode(DEFAULT_MODE)
    ;
