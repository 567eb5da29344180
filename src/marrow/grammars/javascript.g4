/**
 * JavaScript, after ECMA-262, 11th edition (ECMAScript 2020), scripts and modules, with the class
 * fields, private names and static blocks of later editions.
 *
 * What the standard decides by looking ahead, the lexer decides here by modes: whether `/` divides or
 * starts a regular expression, what `{` opens, and where a semicolon is inserted. It knows
 *  - whether a statement, an operand or an operator comes next: DEFAULT_MODE, OPERAND, OPERATOR;
 *  - whether the nearest bracket holds statements or something else, in which no semicolon is
 *    inserted: the modes INNER_OPERAND and INNER_OPERATOR;
 *  - whether a colon belongs to a `?` or to a label: TERNARY_OPERAND and TERNARY_OPERATOR.
 * Behind an operand and a line break (LINE_BROKEN) whatever cannot continue the expression makes an
 * empty token AUTO_SEMICOLON, and so do `}` and the end of the input. It may also stand behind the
 * body of a function or class, where the lexer cannot tell a declaration from an expression.
 *
 * Known limits: `++` at the start of a line is read as two `+` if no semicolon is in front, a block on
 * a line of its own behind an expression without semicolon is not found, and `a?.5:b` is refused.
 */
grammar javascript;

program
    : programItem* EOF
    ;

programItem
    : importDeclaration
    | exportDeclaration
    | statement
    ;

/** The end of a statement. */
end
    : ';'
    | AUTO_SEMICOLON
    ;

// Modules

importDeclaration
    : 'import' (importClause 'from')? STRING end
    ;

importClause
    : identifier
    | (identifier ',')? '*' 'as' identifier
    | (identifier ',')? OBJECT_START (importSpecifier (',' importSpecifier)*)? ','? '}'
    ;

importSpecifier
    : ((identifierName | STRING) 'as')? identifier
    ;

exportDeclaration
    : 'export' ('*' ('as' (identifierName | STRING))? | exportClause) 'from' STRING end
    | 'export' exportClause end
    | 'export' declaration
    | 'export' 'default' expression end
    ;

exportClause
    : OBJECT_START (exportSpecifier (',' exportSpecifier)*)? ','? '}'
    ;

exportSpecifier
    : (identifierName | STRING) ('as' (identifierName | STRING))?
    ;

// Statements

declaration
    : variableDeclaration end
    | functionDeclaration
    | classDeclaration
    ;

statement
    : ifStatement
    | otherStatement
    ;

otherStatement
    : block
    | declaration
    | ';'
    | expressions end
    | doStatement
    | whileStatement
    | forStatement
    | switchStatement
    | tryStatement
    | identifier ':' statement
    | 'with' '(' expressions ')' statement
    | 'continue' identifier? end
    | 'break' identifier? end
    | 'return' expressions? end
    | 'throw' expressions end
    | 'debugger' end
    ;

block
    : BLOCK_START statement* '}'
    ;

variableDeclaration
    : ('var' | 'let' | 'const') variableDeclarator (',' variableDeclarator)*
    ;

variableDeclarator
    : bindingTarget ('=' expression)?
    ;

bindingTarget
    : identifier
    | objectPattern
    | arrayPattern
    ;

objectPattern
    : OBJECT_START (bindingProperty (',' bindingProperty)*)? ','? '}'
    ;

bindingProperty
    : identifier ('=' expression)?
    | propertyName ':' bindingElement
    | '...' bindingTarget
    ;

bindingElement
    : bindingTarget ('=' expression)?
    ;

arrayPattern
    : '[' bindingItem? (',' bindingItem?)* ']'
    ;

bindingItem
    : bindingElement
    | '...' bindingTarget
    ;

/** Chains of `else if` are lists: flat, and any part of them can go. */
ifStatement
    : 'if' '(' expressions ')' statement ('else' 'if' '(' expressions ')' statement)* ('else' otherStatement)?
    ;

doStatement
    : 'do' statement 'while' '(' expressions ')' ';'?
    ;

whileStatement
    : 'while' '(' expressions ')' statement
    ;

forStatement
    : 'for' '(' (variableDeclaration | expressions)? ';' expressions? ';' expressions? ')' statement
    | 'for' '(' ('var' | 'let' | 'const') bindingTarget 'in' expressions ')' statement
    | 'for' '(' member 'in' expressions ')' statement
    | 'for' 'await'? '(' ('var' | 'let' | 'const') bindingTarget 'of' expression ')' statement
    | 'for' 'await'? '(' member 'of' expression ')' statement
    ;

switchStatement
    : 'switch' '(' expressions ')' BLOCK_START caseClause* '}'
    ;

caseClause
    : ('case' expressions | 'default') ':' statement*
    ;

tryStatement
    : 'try' block catchClause? ('finally' block)?
    ;

catchClause
    : 'catch' ('(' bindingTarget ')')? block
    ;

// Functions and classes

functionDeclaration
    : 'async'? FUNCTION_DECLARATION '*'? identifier parameters BLOCK_START statement* '}'
    ;

functionExpression
    : 'async'? FUNCTION '*'? identifier? parameters functionBody
    ;

functionBody
    : BODY_START statement* '}'
    ;

parameters
    : '(' (parameter (',' parameter)*)? ','? ')'
    ;

parameter
    : bindingElement
    | '...' bindingTarget
    ;

classDeclaration
    : CLASS_DECLARATION identifier ('extends' member)? classBody
    ;

classExpression
    : CLASS identifier? ('extends' member)? classBody
    ;

classBody
    : BODY_START classElement* '}'
    ;

classElement
    : 'static'? method AUTO_SEMICOLON?
    | 'static'? propertyName ('=' expression)? end
    | 'static' BODY_START statement* '}' AUTO_SEMICOLON?
    | ';'
    ;

method
    : propertyName parameters functionBody
    | ('get' | 'set') propertyName parameters functionBody
    | 'async'? '*' propertyName parameters functionBody
    | 'async' propertyName parameters functionBody
    | ('if' | 'for' | 'while' | 'with' | 'switch' | 'catch') parameters block
    ;

propertyName
    : identifierName
    | STRING
    | NUMBER
    | PRIVATE_NAME
    | '[' expression ']'
    ;

// Expressions

expressions
    : expression (',' expression)*
    ;

expression
    : operation
    | operation '?' expression ':' expression
    | operation ('=' | COMPOUND_ASSIGNMENT) expression
    | 'yield' expression?
    | 'yield' '*' expression
    | arrowFunction
    | PRIVATE_NAME 'in' expression
    ;

arrowFunction
    : 'async'? identifier '=>' (expression | functionBody)
    | arrowParameters '=>' (expression | functionBody)
    | 'async' arguments '=>' (expression | functionBody)
    ;

/** Read as expressions, of which literals cover the patterns, as the standard does. */
arrowParameters
    : '(' expressions ')'
    | '(' ')'
    | '(' expression (',' expression)* ',' ')'
    | '(' expression (',' expression)* ',' '...' bindingTarget ')'
    | '(' '...' bindingTarget ')'
    ;

operation
    : member
    | 'new' newTarget
    | operation INCREMENT
    | (INCREMENT | ADDITIVE | NEGATION | 'delete' | 'void' | 'typeof' | 'await') operation
    | <assoc=right> operation '**' operation
    | operation ('*' | DIVISION) operation
    | operation ADDITIVE operation
    | operation SHIFT operation
    | operation (RELATIONAL | 'in' | 'instanceof') operation
    | operation EQUALITY operation
    | operation '&' operation
    | operation '^' operation
    | operation '|' operation
    | operation '&&' operation
    | operation '||' operation
    | operation '??' operation
    ;

/** Operands, with what is called on them and taken out of them. */
member
    : primary
    | 'super'
    | 'new' newTarget arguments
    | 'import' arguments
    | member arguments
    | member ('.' | '?.') memberName
    | member '?.'? '[' expressions ']'
    | member '?.' arguments
    | member '?.'? template
    ;

/** What `new` may make: no calls. */
newTarget
    : primary
    | 'super'
    | 'new' newTarget arguments
    | newTarget '.' memberName
    | newTarget '[' expressions ']'
    | newTarget template
    ;

memberName
    : IDENTIFIER
    | PRIVATE_NAME
    ;

primary
    : identifier
    | 'this'
    | 'null'
    | 'true'
    | 'false'
    | NUMBER
    | STRING
    | REGULAR_EXPRESSION
    | template
    | arrayLiteral
    | objectLiteral
    | functionExpression
    | classExpression
    | '(' expressions ')'
    | 'new' '.' memberName
    | 'import' '.' memberName
    ;

arguments
    : '(' (argument (',' argument)*)? ','? ')'
    ;

argument
    : '...'? expression
    ;

arrayLiteral
    : '[' argument? (',' argument?)* ']'
    ;

objectLiteral
    : OBJECT_START (property (',' property)*)? ','? '}'
    ;

property
    : identifier ('=' expression)?
    | propertyName ':' expression
    | '...' expression
    | method
    ;

template
    : TEMPLATE_START (TEMPLATE_TEXT | '${' expressions '}')* TEMPLATE_END
    ;

identifier
    : IDENTIFIER
    | 'async' | 'get' | 'set' | 'static' | 'of' | 'from' | 'as'
    ;

/** Names that may be reserved words, as far as the lexer makes keywords of them there. */
identifierName
    : identifier
    | 'break' | 'case' | CLASS | CLASS_DECLARATION | 'const' | 'continue' | 'debugger' | 'default'
    | 'delete' | 'do' | 'else' | 'export' | 'finally' | FUNCTION | 'import' | 'let' | 'new' | 'return'
    | 'super' | 'this' | 'throw' | 'try' | 'typeof' | 'var' | 'void' | 'yield' | 'await' | 'null'
    | 'true' | 'false'
    ;

// Tokens where a statement may start. What is no keyword or name is left to the mode OPERAND.

BLOCK_START : '{' -> pushMode(DEFAULT_MODE);
CLOSING_BRACE : '}' -> popMode;
SEMICOLON : ';';

DO : 'do';
ELSE : 'else';
FINALLY : 'finally';
TRY : 'try';
IF : 'if' -> mode(HEADER);
FOR : 'for' -> mode(HEADER);
WHILE : 'while' -> mode(HEADER);
WITH : 'with' -> mode(HEADER);
SWITCH : 'switch' -> mode(HEADER);
CATCH : 'catch' -> mode(HEADER);
BREAK : 'break' -> mode(RESTRICTED);
CONTINUE : 'continue' -> mode(RESTRICTED);
RETURN : 'return' -> mode(RESTRICTED);
CASE : 'case' -> mode(OPERAND);
THROW : 'throw' -> mode(OPERAND);
DEFAULT : 'default' -> mode(AFTER_DEFAULT);
EXPORT : 'export' -> mode(AFTER_EXPORT);
DEBUGGER : 'debugger' -> mode(OPERATOR);
FUNCTION_DECLARATION : 'function' -> mode(DECLARATION);
CLASS_DECLARATION : 'class' -> mode(CLASS_HEAD);
VAR : 'var' -> mode(OPERAND);
LET : 'let' -> mode(OPERAND);
CONST : 'const' -> mode(OPERAND);
IMPORT : 'import' -> mode(OPERAND);
NEW : 'new' -> mode(OPERAND);
DELETE : 'delete' -> mode(OPERAND);
VOID : 'void' -> mode(OPERAND);
TYPEOF : 'typeof' -> mode(OPERAND);
AWAIT : 'await' -> mode(OPERAND);
YIELD : 'yield' -> mode(RESTRICTED);
THIS : 'this' -> mode(OPERATOR);
SUPER : 'super' -> mode(OPERATOR);
NULL : 'null' -> mode(OPERATOR);
TRUE : 'true' -> mode(OPERATOR);
FALSE : 'false' -> mode(OPERATOR);
ASYNC : 'async' -> mode(AFTER_ASYNC);
GET : 'get' -> mode(OPERATOR);
SET : 'set' -> mode(OPERATOR);
STATIC : 'static' -> mode(OPERATOR);
OF : 'of' -> mode(OPERATOR);
FROM : 'from' -> mode(OPERATOR);
AS : 'as' -> mode(OPERATOR);
IDENTIFIER : Name -> mode(OPERATOR);
HASHBANG : '#!' ~[\r\n\u2028\u2029]* -> skip;
WHITE_SPACE : (Space | LineBreak)+ -> skip;
COMMENT : Comment -> skip;
NO_KEYWORD : -> skip, mode(OPERAND);

fragment Name
    : NameStart NamePart*
    ;

fragment NameStart
    : [a-zA-Z$_\p{XID_Start}]
    | RareNameEscape
    ;

/** An escape stands for a letter; which ones do is not spelled out. */
fragment RareNameEscape
    : '\\u' Hex Hex Hex Hex
    | '\\u{' Hex+ '}'
    ;

fragment NamePart
    : NameStart
    | [0-9\p{XID_Continue}\u200C\u200D]
    ;

fragment Hex
    : [0-9a-fA-F]
    ;

fragment Number
    : Integer 'n'?
    | Integer '.' Digits? Exponent?
    | Integer Exponent
    | '.' Digits Exponent?
    | ('0' [xX] Hex ('_'? Hex)* | '0' [oO] [0-7] ('_'? [0-7])* | '0' [bB] [01] ('_'? [01])*) 'n'?
    | RareNumber
    ;

fragment Integer
    : '0'
    | [1-9] ('_'? [0-9])*
    ;

fragment Digits
    : [0-9] ('_'? [0-9])*
    ;

fragment Exponent
    : [eE] [+-]? Digits
    ;

/** Digits behind a zero, which strict code refuses. */
fragment RareNumber
    : '0' [0-9]+ ('.' Digits?)? Exponent?
    ;

fragment String
    : '"' (Escape | ~["\\\r\n])* '"'
    | '\'' (Escape | ~['\\\r\n])* '\''
    ;

fragment Escape
    : '\\' [bfnrtv'"\\]
    | '\\x' Hex Hex
    | '\\u' Hex Hex Hex Hex
    | RareEscape
    ;

fragment TemplateEscape
    : '\\' [bfnrtv'"`$\\]
    | '\\x' Hex Hex
    | '\\u' Hex Hex Hex Hex
    | RareEscape
    ;

/** Anything behind a backslash; what looks like a number may not be one. */
fragment RareEscape
    : '\\' ('\r\n' | .)
    ;

fragment RegularExpression
    : '/' (RegularCharacter | RegularEscape | RegularClass) (RegularCharacter | RareStar | RegularEscape | RegularClass)* '/' RegularFlags
    ;

fragment RegularFlags
    : 'd'? 'g'? 'i'? 'm'? 's'? 'u'? 'y'?
    | RareFlags
    ;

/** Flags in another order, or letters that are none. */
fragment RareFlags
    : NamePart+
    ;

fragment RegularCharacter
    : ~[*/[\\\r\n\u2028\u2029()?+{}|^$\]]
    | RareRegularCharacter
    ;

/** What has a meaning beside others, and none alone. */
fragment RareRegularCharacter
    : [()?+{}|^$\]]
    ;

fragment RareStar
    : '*'
    ;

fragment RegularEscape
    : '\\' [dDsSwWnrt.*+?^$()|/[\]{}\\]
    | RareRegularEscape
    ;

fragment RareRegularEscape
    : '\\' ~[\r\n\u2028\u2029]
    ;

fragment RegularClass
    : '[' '^'? [a-zA-Z0-9_ .,:;]* ('a-z' | '0-9')? ']'
    | RareRegularClass
    ;

fragment RareRegularClass
    : '[' ('\\' ~[\r\n\u2028\u2029] | ~[\]\\\r\n\u2028\u2029])* ']'
    ;

fragment Space
    : [ \t\u000B\f\u00A0\uFEFF\p{Zs}]
    ;

fragment LineBreak
    : [\r\n\u2028\u2029]
    ;

fragment Comment
    : '/*' .*? '*/'
    | '//' ~[\r\n\u2028\u2029]*
    ;

fragment CompoundAssignment
    : '*=' | '/=' | '%=' | '+=' | '-=' | '<<=' | '>>=' | '>>>=' | '&=' | '^=' | '|=' | '**=' | '&&=' | '||=' | '??='
    ;

/** An operand comes next; behind `return`, `}` ends the statement. */
mode OPERAND;

OBJECT_START : '{' -> mode(OPERATOR), pushMode(INNER_OPERAND);
OPENING_PARENTHESIS : '(' -> mode(OPERATOR), pushMode(INNER_OPERAND);
OPENING_BRACKET : '[' -> mode(OPERATOR), pushMode(INNER_OPERAND);
TEMPLATE_START : '`' -> mode(OPERATOR), pushMode(TEMPLATE);
CLOSING_PARENTHESIS : ')' -> popMode;
CLOSING_BRACKET : ']' -> popMode;
OPERAND_SEMICOLON : ';' -> type(SEMICOLON), mode(DEFAULT_MODE);
COMMA : ',';
SPREAD : '...';
STAR : '*';
DOT : '.' -> mode(AFTER_DOT);
ASSIGN : '=';
INCREMENT : '++' | '--';
ADDITIVE : '+' | '-';
NEGATION : '!' | '~';
NUMBER : Number -> mode(OPERATOR);
STRING : String -> mode(OPERATOR);
REGULAR_EXPRESSION : RegularExpression -> mode(OPERATOR);
PRIVATE_NAME : '#' Name -> mode(OPERATOR);
OPERAND_VAR : 'var' -> type(VAR);
OPERAND_LET : 'let' -> type(LET);
OPERAND_CONST : 'const' -> type(CONST);
FUNCTION : 'function' -> mode(OPERATOR);
CLASS : 'class' -> mode(OPERATOR);
OPERAND_IMPORT : 'import' -> type(IMPORT);
OPERAND_NEW : 'new' -> type(NEW);
OPERAND_DELETE : 'delete' -> type(DELETE);
OPERAND_VOID : 'void' -> type(VOID);
OPERAND_TYPEOF : 'typeof' -> type(TYPEOF);
OPERAND_AWAIT : 'await' -> type(AWAIT);
OPERAND_YIELD : 'yield' -> type(YIELD), mode(RESTRICTED);
OPERAND_THIS : 'this' -> type(THIS), mode(OPERATOR);
OPERAND_SUPER : 'super' -> type(SUPER), mode(OPERATOR);
OPERAND_NULL : 'null' -> type(NULL), mode(OPERATOR);
OPERAND_TRUE : 'true' -> type(TRUE), mode(OPERATOR);
OPERAND_FALSE : 'false' -> type(FALSE), mode(OPERATOR);
OPERAND_ASYNC : 'async' -> type(ASYNC), mode(OPERATOR);
OPERAND_GET : 'get' -> type(GET), mode(OPERATOR);
OPERAND_SET : 'set' -> type(SET), mode(OPERATOR);
OPERAND_STATIC : 'static' -> type(STATIC), mode(OPERATOR);
OPERAND_OF : 'of' -> type(OF), mode(OPERATOR);
OPERAND_FROM : 'from' -> type(FROM), mode(OPERATOR);
OPERAND_AS : 'as' -> type(AS), mode(OPERATOR);
OPERAND_IDENTIFIER : Name -> type(IDENTIFIER), mode(OPERATOR);
OPERAND_WHITE_SPACE : (Space | LineBreak)+ -> skip;
OPERAND_COMMENT : Comment -> skip;
AUTO_SEMICOLON : -> mode(DEFAULT_MODE);

/** An operator comes next, or the end of the statement; `{` opens the body of a function or class. */
mode OPERATOR;

BODY_START : '{' -> pushMode(DEFAULT_MODE);
OPERATOR_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), pushMode(INNER_OPERAND);
OPERATOR_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), pushMode(INNER_OPERAND);
OPERATOR_TEMPLATE_START : '`' -> type(TEMPLATE_START), pushMode(TEMPLATE);
OPERATOR_CLOSING_PARENTHESIS : ')' -> type(CLOSING_PARENTHESIS), popMode;
OPERATOR_CLOSING_BRACKET : ']' -> type(CLOSING_BRACKET), popMode;
OPERATOR_SEMICOLON : ';' -> type(SEMICOLON), mode(DEFAULT_MODE);
OPERATOR_COMMA : ',' -> type(COMMA), mode(OPERAND);
OPERATOR_DOT : '.' -> type(DOT), mode(AFTER_DOT);
OPTIONAL_DOT : '?.' -> mode(AFTER_DOT);
COLON : ':' -> mode(DEFAULT_MODE);
QUESTION : '?' -> mode(OPERAND), pushMode(TERNARY_OPERAND);
ARROW : '=>' -> mode(AFTER_ARROW);
OPERATOR_ASSIGN : '=' -> type(ASSIGN), mode(OPERAND);
COMPOUND_ASSIGNMENT : CompoundAssignment -> mode(OPERAND);
OPERATOR_INCREMENT : ('++' | '--') -> type(INCREMENT);
OPERATOR_ADDITIVE : ('+' | '-') -> type(ADDITIVE), mode(OPERAND);
OPERATOR_STAR : '*' -> type(STAR), mode(OPERAND);
DIVISION : ('/' | '%') -> mode(OPERAND);
POWER : '**' -> mode(OPERAND);
SHIFT : ('<<' | '>>' | '>>>') -> mode(OPERAND);
RELATIONAL : ('<' | '>' | '<=' | '>=') -> mode(OPERAND);
EQUALITY : ('==' | '!=' | '===' | '!==') -> mode(OPERAND);
BIT_AND : '&' -> mode(OPERAND);
BIT_XOR : '^' -> mode(OPERAND);
BIT_OR : '|' -> mode(OPERAND);
AND : '&&' -> mode(OPERAND);
OR : '||' -> mode(OPERAND);
COALESCE : '??' -> mode(OPERAND);
IN : 'in' -> mode(OPERAND);
INSTANCEOF : 'instanceof' -> mode(OPERAND);
EXTENDS : 'extends' -> mode(OPERAND);
OPERATOR_FUNCTION : 'function' -> type(FUNCTION);
OPERATOR_BREAK : 'break' -> type(BREAK), mode(RESTRICTED);
OPERATOR_ASYNC : 'async' -> type(ASYNC);
OPERATOR_GET : 'get' -> type(GET);
OPERATOR_SET : 'set' -> type(SET);
OPERATOR_STATIC : 'static' -> type(STATIC);
OPERATOR_OF : 'of' -> type(OF);
OPERATOR_FROM : 'from' -> type(FROM);
OPERATOR_AS : 'as' -> type(AS);
OPERATOR_IDENTIFIER : Name -> type(IDENTIFIER);
OPERATOR_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME);
OPERATOR_NUMBER : Number -> type(NUMBER);
OPERATOR_STRING : String -> type(STRING);
OPERATOR_LINE_BREAK : LineBreak -> skip, mode(LINE_BROKEN);
OPERATOR_SPACE : Space+ -> skip;
OPERATOR_COMMENT : Comment -> skip;
OPERATOR_END_OF_INPUT : EOF -> type(AUTO_SEMICOLON);
OPERATOR_END : -> type(AUTO_SEMICOLON), mode(DEFAULT_MODE);

/** As OPERATOR, behind a line break: only what continues the expression. */
mode LINE_BROKEN;

LINE_BODY_START : '{' -> type(BODY_START), mode(OPERATOR), pushMode(DEFAULT_MODE);
LINE_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), mode(OPERATOR), pushMode(INNER_OPERAND);
LINE_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), mode(OPERATOR), pushMode(INNER_OPERAND);
LINE_TEMPLATE_START : '`' -> type(TEMPLATE_START), mode(OPERATOR), pushMode(TEMPLATE);
LINE_SEMICOLON : ';' -> type(SEMICOLON), mode(DEFAULT_MODE);
LINE_COMMA : ',' -> type(COMMA), mode(OPERAND);
LINE_DOT : '.' -> type(DOT), mode(AFTER_DOT);
LINE_OPTIONAL_DOT : '?.' -> type(OPTIONAL_DOT), mode(AFTER_DOT);
LINE_COLON : ':' -> type(COLON), mode(DEFAULT_MODE);
LINE_QUESTION : '?' -> type(QUESTION), mode(OPERAND), pushMode(TERNARY_OPERAND);
LINE_ARROW : '=>' -> type(ARROW), mode(AFTER_ARROW);
LINE_ASSIGN : '=' -> type(ASSIGN), mode(OPERAND);
LINE_COMPOUND_ASSIGNMENT : CompoundAssignment -> type(COMPOUND_ASSIGNMENT), mode(OPERAND);
LINE_ADDITIVE : ('+' | '-') -> type(ADDITIVE), mode(OPERAND);
LINE_STAR : '*' -> type(STAR), mode(OPERAND);
LINE_DIVISION : ('/' | '%') -> type(DIVISION), mode(OPERAND);
LINE_POWER : '**' -> type(POWER), mode(OPERAND);
LINE_SHIFT : ('<<' | '>>' | '>>>') -> type(SHIFT), mode(OPERAND);
LINE_RELATIONAL : ('<' | '>' | '<=' | '>=') -> type(RELATIONAL), mode(OPERAND);
LINE_EQUALITY : ('==' | '!=' | '===' | '!==') -> type(EQUALITY), mode(OPERAND);
LINE_BIT_AND : '&' -> type(BIT_AND), mode(OPERAND);
LINE_BIT_XOR : '^' -> type(BIT_XOR), mode(OPERAND);
LINE_BIT_OR : '|' -> type(BIT_OR), mode(OPERAND);
LINE_AND : '&&' -> type(AND), mode(OPERAND);
LINE_OR : '||' -> type(OR), mode(OPERAND);
LINE_COALESCE : '??' -> type(COALESCE), mode(OPERAND);
// The character behind the word tells it from the start of a longer name.
LINE_IN : 'in' (Space | LineBreak) -> type(IN), mode(OPERAND);
LINE_INSTANCEOF : 'instanceof' (Space | LineBreak) -> type(INSTANCEOF), mode(OPERAND);
LINE_EXTENDS : 'extends' (Space | LineBreak) -> type(EXTENDS), mode(OPERAND);
LINE_WHITE_SPACE : (Space | LineBreak)+ -> skip;
LINE_COMMENT : Comment -> skip;
LINE_END_OF_INPUT : EOF -> type(AUTO_SEMICOLON);
LINE_END : -> type(AUTO_SEMICOLON), mode(DEFAULT_MODE);

/** Behind `return` and the like a line break ends the statement. */
mode RESTRICTED;

RESTRICTED_LINE_BREAK : LineBreak -> type(AUTO_SEMICOLON), mode(DEFAULT_MODE);
RESTRICTED_SPACE : Space+ -> skip;
RESTRICTED_COMMENT : Comment -> skip;
RESTRICTED_END_OF_INPUT : EOF -> type(AUTO_SEMICOLON);
RESTRICTED_OPERAND : -> skip, mode(OPERAND);

/** Behind `if` and the like: a statement follows the parentheses. */
mode HEADER;

HEADER_AWAIT : 'await' -> type(AWAIT);
HEADER_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), mode(DEFAULT_MODE), pushMode(INNER_OPERAND);
HEADER_WHITE_SPACE : (Space | LineBreak)+ -> skip;
HEADER_COMMENT : Comment -> skip;
HEADER_OTHER : -> skip, mode(DEFAULT_MODE);

/** Behind `function` where a statement starts: a statement follows the body. */
mode DECLARATION;

DECLARATION_STAR : '*' -> type(STAR);
DECLARATION_IDENTIFIER : Name -> type(IDENTIFIER);
DECLARATION_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), mode(DEFAULT_MODE), pushMode(INNER_OPERAND);
DECLARATION_WHITE_SPACE : (Space | LineBreak)+ -> skip;
DECLARATION_COMMENT : Comment -> skip;

/** Behind `async` where a statement starts. */
mode AFTER_ASYNC;

ASYNC_FUNCTION_DECLARATION : 'function' -> type(FUNCTION_DECLARATION), mode(DECLARATION);
ASYNC_IDENTIFIER : Name -> type(IDENTIFIER), mode(OPERATOR);
ASYNC_SPACE : Space+ -> skip;
ASYNC_OTHER : -> skip, mode(OPERATOR);

/** Behind `class` where a statement starts, up to the body, behind which a statement follows. */
mode CLASS_HEAD;

HEAD_BODY_START : '{' -> type(BODY_START), mode(DEFAULT_MODE), pushMode(DEFAULT_MODE);
HEAD_EXTENDS : 'extends' -> type(EXTENDS);
HEAD_NULL : 'null' -> type(NULL);
HEAD_THIS : 'this' -> type(THIS);
HEAD_IDENTIFIER : Name -> type(IDENTIFIER);
HEAD_DOT : '.' -> type(DOT);
HEAD_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), pushMode(INNER_OPERAND);
HEAD_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), pushMode(INNER_OPERAND);
HEAD_WHITE_SPACE : (Space | LineBreak)+ -> skip;
HEAD_COMMENT : Comment -> skip;
HEAD_OTHER : -> skip, mode(OPERAND);

mode AFTER_ARROW;

ARROW_BODY_START : '{' -> type(BODY_START), mode(OPERATOR), pushMode(DEFAULT_MODE);
ARROW_WHITE_SPACE : (Space | LineBreak)+ -> skip;
ARROW_COMMENT : Comment -> skip;
ARROW_OTHER : -> skip, mode(OPERAND);

mode AFTER_EXPORT;

EXPORT_OBJECT_START : '{' -> type(OBJECT_START), mode(OPERATOR), pushMode(INNER_OPERAND);
EXPORT_STAR : '*' -> type(STAR), mode(OPERATOR);
EXPORT_WHITE_SPACE : (Space | LineBreak)+ -> skip;
EXPORT_COMMENT : Comment -> skip;
EXPORT_OTHER : -> skip, mode(DEFAULT_MODE);

mode AFTER_DEFAULT;

DEFAULT_COLON : ':' -> type(COLON), mode(DEFAULT_MODE);
DEFAULT_WHITE_SPACE : (Space | LineBreak)+ -> skip;
DEFAULT_COMMENT : Comment -> skip;
DEFAULT_OTHER : -> skip, mode(OPERAND);

/** Behind a dot every word is a name. */
mode AFTER_DOT;

DOT_IDENTIFIER : Name -> type(IDENTIFIER), mode(OPERATOR);
DOT_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME), mode(OPERATOR);
DOT_WHITE_SPACE : (Space | LineBreak)+ -> skip;
DOT_COMMENT : Comment -> skip;
DOT_OTHER : -> skip, mode(OPERATOR);

mode TEMPLATE;

TEMPLATE_END : '`' -> popMode;
SUBSTITUTION_START : '${' -> pushMode(INNER_OPERAND);
TEMPLATE_TEXT : (TemplateEscape | ~[`\\$])+;
TEMPLATE_DOLLAR : '$' -> type(TEMPLATE_TEXT);

/** As OPERAND, inside brackets that do not hold statements. */
mode INNER_OPERAND;

INNER_OBJECT_START : '{' -> type(OBJECT_START), mode(INNER_OPERATOR), pushMode(INNER_OPERAND);
INNER_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), mode(INNER_OPERATOR), pushMode(INNER_OPERAND);
INNER_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), mode(INNER_OPERATOR), pushMode(INNER_OPERAND);
INNER_TEMPLATE_START : '`' -> type(TEMPLATE_START), mode(INNER_OPERATOR), pushMode(TEMPLATE);
INNER_CLOSING_BRACE : '}' -> type(CLOSING_BRACE), popMode;
INNER_CLOSING_PARENTHESIS : ')' -> type(CLOSING_PARENTHESIS), popMode;
INNER_CLOSING_BRACKET : ']' -> type(CLOSING_BRACKET), popMode;
INNER_SEMICOLON : ';' -> type(SEMICOLON);
INNER_COMMA : ',' -> type(COMMA);
INNER_SPREAD : '...' -> type(SPREAD);
INNER_STAR : '*' -> type(STAR);
INNER_DOT : '.' -> type(DOT), mode(INNER_AFTER_DOT);
INNER_COLON : ':' -> type(COLON);
INNER_ASSIGN : '=' -> type(ASSIGN);
INNER_INCREMENT : ('++' | '--') -> type(INCREMENT);
INNER_ADDITIVE : ('+' | '-') -> type(ADDITIVE);
INNER_NEGATION : ('!' | '~') -> type(NEGATION);
INNER_NUMBER : Number -> type(NUMBER), mode(INNER_OPERATOR);
INNER_STRING : String -> type(STRING), mode(INNER_OPERATOR);
INNER_REGULAR_EXPRESSION : RegularExpression -> type(REGULAR_EXPRESSION), mode(INNER_OPERATOR);
INNER_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME), mode(INNER_OPERATOR);
INNER_VAR : 'var' -> type(VAR), mode(INNER_KEYWORD);
INNER_LET : 'let' -> type(LET), mode(INNER_KEYWORD);
INNER_CONST : 'const' -> type(CONST), mode(INNER_KEYWORD);
INNER_FUNCTION : 'function' -> type(FUNCTION), mode(INNER_OPERATOR);
INNER_CLASS : 'class' -> type(CLASS), mode(INNER_OPERATOR);
INNER_IMPORT : 'import' -> type(IMPORT);
INNER_NEW : 'new' -> type(NEW);
INNER_DELETE : 'delete' -> type(DELETE);
INNER_VOID : 'void' -> type(VOID);
INNER_TYPEOF : 'typeof' -> type(TYPEOF);
INNER_AWAIT : 'await' -> type(AWAIT);
INNER_YIELD : 'yield' -> type(YIELD);
INNER_THIS : 'this' -> type(THIS), mode(INNER_OPERATOR);
INNER_SUPER : 'super' -> type(SUPER), mode(INNER_OPERATOR);
INNER_NULL : 'null' -> type(NULL), mode(INNER_OPERATOR);
INNER_TRUE : 'true' -> type(TRUE), mode(INNER_OPERATOR);
INNER_FALSE : 'false' -> type(FALSE), mode(INNER_OPERATOR);
INNER_ASYNC : 'async' -> type(ASYNC), mode(INNER_OPERATOR);
INNER_GET : 'get' -> type(GET), mode(INNER_OPERATOR);
INNER_SET : 'set' -> type(SET), mode(INNER_OPERATOR);
INNER_STATIC : 'static' -> type(STATIC), mode(INNER_OPERATOR);
INNER_OF : 'of' -> type(OF), mode(INNER_OPERATOR);
INNER_FROM : 'from' -> type(FROM), mode(INNER_OPERATOR);
INNER_AS : 'as' -> type(AS), mode(INNER_OPERATOR);
INNER_IDENTIFIER : Name -> type(IDENTIFIER), mode(INNER_OPERATOR);
INNER_WHITE_SPACE : (Space | LineBreak)+ -> skip;
INNER_COMMENT : Comment -> skip;

/** As OPERATOR, inside brackets that do not hold statements. */
mode INNER_OPERATOR;

INNER_BODY_START : '{' -> type(BODY_START), pushMode(DEFAULT_MODE);
BEHIND_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), pushMode(INNER_OPERAND);
BEHIND_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), pushMode(INNER_OPERAND);
BEHIND_TEMPLATE_START : '`' -> type(TEMPLATE_START), pushMode(TEMPLATE);
BEHIND_CLOSING_BRACE : '}' -> type(CLOSING_BRACE), popMode;
BEHIND_CLOSING_PARENTHESIS : ')' -> type(CLOSING_PARENTHESIS), popMode;
BEHIND_CLOSING_BRACKET : ']' -> type(CLOSING_BRACKET), popMode;
BEHIND_SEMICOLON : ';' -> type(SEMICOLON), mode(INNER_OPERAND);
BEHIND_COMMA : ',' -> type(COMMA), mode(INNER_OPERAND);
BEHIND_DOT : '.' -> type(DOT), mode(INNER_AFTER_DOT);
BEHIND_OPTIONAL_DOT : '?.' -> type(OPTIONAL_DOT), mode(INNER_AFTER_DOT);
BEHIND_COLON : ':' -> type(COLON), mode(INNER_OPERAND);
BEHIND_QUESTION : '?' -> type(QUESTION), mode(INNER_OPERAND);
BEHIND_ARROW : '=>' -> type(ARROW), mode(INNER_AFTER_ARROW);
BEHIND_ASSIGN : '=' -> type(ASSIGN), mode(INNER_OPERAND);
BEHIND_COMPOUND_ASSIGNMENT : CompoundAssignment -> type(COMPOUND_ASSIGNMENT), mode(INNER_OPERAND);
BEHIND_INCREMENT : ('++' | '--') -> type(INCREMENT);
BEHIND_ADDITIVE : ('+' | '-') -> type(ADDITIVE), mode(INNER_OPERAND);
BEHIND_STAR : '*' -> type(STAR), mode(INNER_OPERAND);
BEHIND_DIVISION : ('/' | '%') -> type(DIVISION), mode(INNER_OPERAND);
BEHIND_POWER : '**' -> type(POWER), mode(INNER_OPERAND);
BEHIND_SHIFT : ('<<' | '>>' | '>>>') -> type(SHIFT), mode(INNER_OPERAND);
BEHIND_RELATIONAL : ('<' | '>' | '<=' | '>=') -> type(RELATIONAL), mode(INNER_OPERAND);
BEHIND_EQUALITY : ('==' | '!=' | '===' | '!==') -> type(EQUALITY), mode(INNER_OPERAND);
BEHIND_BIT_AND : '&' -> type(BIT_AND), mode(INNER_OPERAND);
BEHIND_BIT_XOR : '^' -> type(BIT_XOR), mode(INNER_OPERAND);
BEHIND_BIT_OR : '|' -> type(BIT_OR), mode(INNER_OPERAND);
BEHIND_AND : '&&' -> type(AND), mode(INNER_OPERAND);
BEHIND_OR : '||' -> type(OR), mode(INNER_OPERAND);
BEHIND_COALESCE : '??' -> type(COALESCE), mode(INNER_OPERAND);
BEHIND_IN : 'in' -> type(IN), mode(INNER_OPERAND);
BEHIND_INSTANCEOF : 'instanceof' -> type(INSTANCEOF), mode(INNER_OPERAND);
BEHIND_EXTENDS : 'extends' -> type(EXTENDS), mode(INNER_OPERAND);
BEHIND_OF : 'of' -> type(OF), mode(INNER_OPERAND);
BEHIND_FUNCTION : 'function' -> type(FUNCTION);
BEHIND_ASYNC : 'async' -> type(ASYNC);
BEHIND_GET : 'get' -> type(GET);
BEHIND_SET : 'set' -> type(SET);
BEHIND_STATIC : 'static' -> type(STATIC);
BEHIND_FROM : 'from' -> type(FROM);
BEHIND_AS : 'as' -> type(AS);
BEHIND_IDENTIFIER : Name -> type(IDENTIFIER);
BEHIND_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME);
BEHIND_NUMBER : Number -> type(NUMBER);
BEHIND_STRING : String -> type(STRING);
BEHIND_WHITE_SPACE : (Space | LineBreak)+ -> skip;
BEHIND_COMMENT : Comment -> skip;

/** Behind `var` in a loop's header: `of` and the like are names. */
mode INNER_KEYWORD;

KEYWORD_OBJECT_START : '{' -> type(OBJECT_START), mode(INNER_OPERATOR), pushMode(INNER_OPERAND);
KEYWORD_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), mode(INNER_OPERATOR), pushMode(INNER_OPERAND);
KEYWORD_IDENTIFIER : Name -> type(IDENTIFIER), mode(INNER_OPERATOR);
KEYWORD_WHITE_SPACE : (Space | LineBreak)+ -> skip;
KEYWORD_COMMENT : Comment -> skip;
KEYWORD_OTHER : -> skip, mode(INNER_OPERATOR);

mode INNER_AFTER_ARROW;

INNER_ARROW_BODY_START : '{' -> type(BODY_START), mode(INNER_OPERATOR), pushMode(DEFAULT_MODE);
INNER_ARROW_WHITE_SPACE : (Space | LineBreak)+ -> skip;
INNER_ARROW_COMMENT : Comment -> skip;
INNER_ARROW_OTHER : -> skip, mode(INNER_OPERAND);

mode INNER_AFTER_DOT;

INNER_DOT_IDENTIFIER : Name -> type(IDENTIFIER), mode(INNER_OPERATOR);
INNER_DOT_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME), mode(INNER_OPERATOR);
INNER_DOT_WHITE_SPACE : (Space | LineBreak)+ -> skip;
INNER_DOT_COMMENT : Comment -> skip;
INNER_DOT_OTHER : -> skip, mode(INNER_OPERATOR);

/** As OPERAND, between `?` and `:`. */
mode TERNARY_OPERAND;

TERNARY_OBJECT_START : '{' -> type(OBJECT_START), mode(TERNARY_OPERATOR), pushMode(INNER_OPERAND);
TERNARY_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), mode(TERNARY_OPERATOR), pushMode(INNER_OPERAND);
TERNARY_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), mode(TERNARY_OPERATOR), pushMode(INNER_OPERAND);
TERNARY_TEMPLATE_START : '`' -> type(TEMPLATE_START), mode(TERNARY_OPERATOR), pushMode(TEMPLATE);
TERNARY_COMMA : ',' -> type(COMMA);
TERNARY_STAR : '*' -> type(STAR);
TERNARY_DOT : '.' -> type(DOT), mode(TERNARY_AFTER_DOT);
TERNARY_ASSIGN : '=' -> type(ASSIGN);
TERNARY_INCREMENT : ('++' | '--') -> type(INCREMENT);
TERNARY_ADDITIVE : ('+' | '-') -> type(ADDITIVE);
TERNARY_NEGATION : ('!' | '~') -> type(NEGATION);
TERNARY_NUMBER : Number -> type(NUMBER), mode(TERNARY_OPERATOR);
TERNARY_STRING : String -> type(STRING), mode(TERNARY_OPERATOR);
TERNARY_REGULAR_EXPRESSION : RegularExpression -> type(REGULAR_EXPRESSION), mode(TERNARY_OPERATOR);
TERNARY_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME), mode(TERNARY_OPERATOR);
TERNARY_FUNCTION : 'function' -> type(FUNCTION), mode(TERNARY_OPERATOR);
TERNARY_CLASS : 'class' -> type(CLASS), mode(TERNARY_OPERATOR);
TERNARY_IMPORT : 'import' -> type(IMPORT);
TERNARY_NEW : 'new' -> type(NEW);
TERNARY_DELETE : 'delete' -> type(DELETE);
TERNARY_VOID : 'void' -> type(VOID);
TERNARY_TYPEOF : 'typeof' -> type(TYPEOF);
TERNARY_AWAIT : 'await' -> type(AWAIT);
TERNARY_YIELD : 'yield' -> type(YIELD);
TERNARY_THIS : 'this' -> type(THIS), mode(TERNARY_OPERATOR);
TERNARY_SUPER : 'super' -> type(SUPER), mode(TERNARY_OPERATOR);
TERNARY_NULL : 'null' -> type(NULL), mode(TERNARY_OPERATOR);
TERNARY_TRUE : 'true' -> type(TRUE), mode(TERNARY_OPERATOR);
TERNARY_FALSE : 'false' -> type(FALSE), mode(TERNARY_OPERATOR);
TERNARY_ASYNC : 'async' -> type(ASYNC), mode(TERNARY_OPERATOR);
TERNARY_GET : 'get' -> type(GET), mode(TERNARY_OPERATOR);
TERNARY_SET : 'set' -> type(SET), mode(TERNARY_OPERATOR);
TERNARY_STATIC : 'static' -> type(STATIC), mode(TERNARY_OPERATOR);
TERNARY_OF : 'of' -> type(OF), mode(TERNARY_OPERATOR);
TERNARY_FROM : 'from' -> type(FROM), mode(TERNARY_OPERATOR);
TERNARY_AS : 'as' -> type(AS), mode(TERNARY_OPERATOR);
TERNARY_IDENTIFIER : Name -> type(IDENTIFIER), mode(TERNARY_OPERATOR);
TERNARY_WHITE_SPACE : (Space | LineBreak)+ -> skip;
TERNARY_COMMENT : Comment -> skip;

/** As OPERATOR, between `?` and `:`. */
mode TERNARY_OPERATOR;

TERNARY_BEHIND_BODY_START : '{' -> type(BODY_START), pushMode(DEFAULT_MODE);
TERNARY_BEHIND_OPENING_PARENTHESIS : '(' -> type(OPENING_PARENTHESIS), pushMode(INNER_OPERAND);
TERNARY_BEHIND_OPENING_BRACKET : '[' -> type(OPENING_BRACKET), pushMode(INNER_OPERAND);
TERNARY_BEHIND_TEMPLATE_START : '`' -> type(TEMPLATE_START), pushMode(TEMPLATE);
TERNARY_BEHIND_COMMA : ',' -> type(COMMA), mode(TERNARY_OPERAND);
TERNARY_BEHIND_DOT : '.' -> type(DOT), mode(TERNARY_AFTER_DOT);
TERNARY_BEHIND_OPTIONAL_DOT : '?.' -> type(OPTIONAL_DOT), mode(TERNARY_AFTER_DOT);
TERNARY_BEHIND_COLON : ':' -> type(COLON), popMode;
TERNARY_BEHIND_QUESTION : '?' -> type(QUESTION), mode(TERNARY_OPERAND), pushMode(TERNARY_OPERAND);
TERNARY_BEHIND_ARROW : '=>' -> type(ARROW), mode(TERNARY_AFTER_ARROW);
TERNARY_BEHIND_ASSIGN : '=' -> type(ASSIGN), mode(TERNARY_OPERAND);
TERNARY_BEHIND_COMPOUND_ASSIGNMENT : CompoundAssignment -> type(COMPOUND_ASSIGNMENT), mode(TERNARY_OPERAND);
TERNARY_BEHIND_INCREMENT : ('++' | '--') -> type(INCREMENT);
TERNARY_BEHIND_ADDITIVE : ('+' | '-') -> type(ADDITIVE), mode(TERNARY_OPERAND);
TERNARY_BEHIND_STAR : '*' -> type(STAR), mode(TERNARY_OPERAND);
TERNARY_BEHIND_DIVISION : ('/' | '%') -> type(DIVISION), mode(TERNARY_OPERAND);
TERNARY_BEHIND_POWER : '**' -> type(POWER), mode(TERNARY_OPERAND);
TERNARY_BEHIND_SHIFT : ('<<' | '>>' | '>>>') -> type(SHIFT), mode(TERNARY_OPERAND);
TERNARY_BEHIND_RELATIONAL : ('<' | '>' | '<=' | '>=') -> type(RELATIONAL), mode(TERNARY_OPERAND);
TERNARY_BEHIND_EQUALITY : ('==' | '!=' | '===' | '!==') -> type(EQUALITY), mode(TERNARY_OPERAND);
TERNARY_BEHIND_BIT_AND : '&' -> type(BIT_AND), mode(TERNARY_OPERAND);
TERNARY_BEHIND_BIT_XOR : '^' -> type(BIT_XOR), mode(TERNARY_OPERAND);
TERNARY_BEHIND_BIT_OR : '|' -> type(BIT_OR), mode(TERNARY_OPERAND);
TERNARY_BEHIND_AND : '&&' -> type(AND), mode(TERNARY_OPERAND);
TERNARY_BEHIND_OR : '||' -> type(OR), mode(TERNARY_OPERAND);
TERNARY_BEHIND_COALESCE : '??' -> type(COALESCE), mode(TERNARY_OPERAND);
TERNARY_BEHIND_IN : 'in' -> type(IN), mode(TERNARY_OPERAND);
TERNARY_BEHIND_INSTANCEOF : 'instanceof' -> type(INSTANCEOF), mode(TERNARY_OPERAND);
TERNARY_BEHIND_EXTENDS : 'extends' -> type(EXTENDS), mode(TERNARY_OPERAND);
TERNARY_BEHIND_FUNCTION : 'function' -> type(FUNCTION);
TERNARY_BEHIND_ASYNC : 'async' -> type(ASYNC);
TERNARY_BEHIND_GET : 'get' -> type(GET);
TERNARY_BEHIND_SET : 'set' -> type(SET);
TERNARY_BEHIND_STATIC : 'static' -> type(STATIC);
TERNARY_BEHIND_FROM : 'from' -> type(FROM);
TERNARY_BEHIND_AS : 'as' -> type(AS);
TERNARY_BEHIND_IDENTIFIER : Name -> type(IDENTIFIER);
TERNARY_BEHIND_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME);
TERNARY_BEHIND_NUMBER : Number -> type(NUMBER);
TERNARY_BEHIND_STRING : String -> type(STRING);
TERNARY_BEHIND_WHITE_SPACE : (Space | LineBreak)+ -> skip;
TERNARY_BEHIND_COMMENT : Comment -> skip;

mode TERNARY_AFTER_ARROW;

TERNARY_ARROW_BODY_START : '{' -> type(BODY_START), mode(TERNARY_OPERATOR), pushMode(DEFAULT_MODE);
TERNARY_ARROW_WHITE_SPACE : (Space | LineBreak)+ -> skip;
TERNARY_ARROW_COMMENT : Comment -> skip;
TERNARY_ARROW_OTHER : -> skip, mode(TERNARY_OPERAND);

mode TERNARY_AFTER_DOT;

TERNARY_DOT_IDENTIFIER : Name -> type(IDENTIFIER), mode(TERNARY_OPERATOR);
TERNARY_DOT_PRIVATE_NAME : '#' Name -> type(PRIVATE_NAME), mode(TERNARY_OPERATOR);
TERNARY_DOT_WHITE_SPACE : (Space | LineBreak)+ -> skip;
TERNARY_DOT_COMMENT : Comment -> skip;
TERNARY_DOT_OTHER : -> skip, mode(TERNARY_OPERATOR);
