/**
 * C11 (ISO/IEC 9899:2011) after preprocessing, with the GNU extensions of GCC's manual that system
 * headers and the code of compilers' test suites use. Preprocessor lines are layout.
 *
 * A name may be a type or a variable, which only its declaration tells. The grammar settles it by
 * form: a name where nothing but a type fits is a typedef name; `a * b;` declares b; `f(a);` and
 * `a;` are expressions; `(a)` is a type only in front of an operand that no operator links to it.
 */
grammar c;

translationUnit
    : externalDeclaration* EOF
    ;

externalDeclaration
    : functionDefinition
    | declaration
    | asmDefinition
    | ';'
    ;

// Declarations

functionDefinition
    : declarationSpecifiers declarator oldStyleParameters* compoundStatement
    | typedefName modifier* firstDeclarator oldStyleParameters* compoundStatement
    ;

oldStyleParameters
    : parameterSpecifiers declarator (',' declarator)* ';'
    ;

parameterSpecifiers
    : ('register' | typeQualifier)* (basicType (basicType | typeQualifier)* | constructedType | typedefName)
    ;

declaration
    : declarationSpecifiers (initDeclarator (',' attribute* initDeclarator)*)? ';'
    | typedefName modifier* firstInitDeclarator (',' attribute* initDeclarator)* ';'
    | staticAssertion
    ;

staticAssertion
    : '_Static_assert' '(' expression (',' STRING+)? ')' ';'
    ;

/** What says by itself that a declaration starts; a lone typedef name does not. */
declarationSpecifiers
    : modifier* basicType (basicType | modifier)*
    | modifier* constructedType modifier*
    | modifier+ typedefName modifier*
    ;

modifier
    : storageClass
    | typeQualifier
    | functionSpecifier
    | alignment
    | attribute
    | '__extension__'
    ;

storageClass
    : 'typedef' | 'extern' | 'static' | 'auto' | 'register'
    | '_Thread_local' | '__thread'
    ;

typeQualifier
    : 'const' | 'volatile' | 'restrict' | '_Atomic'
    | '__const' | '__const__' | '__volatile' | '__volatile__' | '__restrict' | '__restrict__'
    ;

functionSpecifier
    : 'inline' | '__inline' | '__inline__' | '_Noreturn'
    ;

alignment
    : '_Alignas' '(' (typeName | expression) ')'
    ;

basicType
    : 'void' | 'char' | 'short' | 'int' | 'long' | 'float' | 'double' | 'signed' | 'unsigned'
    | '_Bool' | '_Complex' | '_Imaginary'
    | '__signed' | '__signed__' | '__complex' | '__complex__' | '__int128' | '__int128_t'
    | '__uint128_t' | '__float80' | '__float128' | '__ibm128'
    | '_Float16' | '_Float32' | '_Float64' | '_Float128' | '_Float32x' | '_Float64x' | '_Float128x'
    | '__bf16' | '__fp16' | '_Decimal32' | '_Decimal64' | '_Decimal128' | '_Sat' | '_Fract' | '_Accum'
    | '__auto_type'
    ;

constructedType
    : structSpecifier
    | enumSpecifier
    | '_Atomic' '(' anyTypeName ')'
    | ('typeof' | '__typeof' | '__typeof__') '(' (expressions | typeName) ')'
    ;

typedefName
    : IDENTIFIER
    ;

structSpecifier
    : ('struct' | 'union') attribute* IDENTIFIER? '{' structDeclaration* '}'
    | ('struct' | 'union') attribute* IDENTIFIER
    ;

structDeclaration
    : (declarationSpecifiers | typedefName modifier*)
      (structDeclarator (',' attribute* structDeclarator)*)? ';'
    | staticAssertion
    | ';'
    ;

structDeclarator
    : declarator (':' expression)? attribute*
    | ':' expression attribute*
    ;

enumSpecifier
    : 'enum' attribute* IDENTIFIER? '{' (enumerator (',' enumerator)*)? ','? '}'
    | 'enum' attribute* IDENTIFIER
    ;

enumerator
    : IDENTIFIER attribute* ('=' expression)?
    ;

initDeclarator
    : declarator asmLabel? attribute* ('=' initializer)?
    ;

firstInitDeclarator
    : firstDeclarator asmLabel? attribute* ('=' initializer)?
    ;

asmLabel
    : asmKeyword '(' STRING+ ')'
    ;

declarator
    : pointer* directDeclarator
    ;

directDeclarator
    : IDENTIFIER
    | '(' attribute* declarator attribute* ')'
    | directDeclarator array
    | directDeclarator parameters
    ;

/** A declarator after a lone typedef name: `f(a)` and `f((a))` stay calls. */
firstDeclarator
    : pointer+ directDeclarator
    | firstDirectDeclarator
    ;

firstDirectDeclarator
    : IDENTIFIER
    | '(' pointer+ directDeclarator ')' parameters
    | firstDirectDeclarator array
    | firstDirectDeclarator parameters
    ;

pointer
    : '*' (typeQualifier | attribute)*
    ;

array
    : '[' ('static' | typeQualifier | attribute)* ('*' | expressions)? ']'
    ;

parameters
    : '(' (parameter (',' parameter)*)? ')'
    ;

parameter
    : (declarationSpecifiers | typedefName modifier*) parameterDeclarator?
    | '...'
    ;

/** A declarator that need not name anything. */
parameterDeclarator
    : pointer+
    | pointer* directParameterDeclarator attribute*
    ;

directParameterDeclarator
    : IDENTIFIER
    | '(' attribute* pointer+ (directParameterDeclarator attribute*)? ')'
    | array
    | parameters
    | directParameterDeclarator array
    | directParameterDeclarator parameters
    ;

/** A type that cannot be taken for an expression. */
typeName
    : declarationSpecifiers abstractDeclarator?
    | typedefName modifier+ abstractDeclarator?
    | typedefName abstractDeclarator
    ;

anyTypeName
    : typeName
    | typedefName
    ;

abstractDeclarator
    : pointer+ directAbstractDeclarator?
    | directAbstractDeclarator
    ;

directAbstractDeclarator
    : '(' attribute* pointer+ directAbstractDeclarator? ')'
    | array
    | parameters
    | directAbstractDeclarator array
    | directAbstractDeclarator parameters
    ;

initializer
    : expression
    | initializerList
    ;

initializerList
    : '{' (initializerItem (',' initializerItem)*)? ','? '}'
    ;

initializerItem
    : designation? initializer
    ;

designation
    : designator+ '='
    | designator+
    | IDENTIFIER ':'
    ;

designator
    : '[' expression ('...' expression)? ']'
    | '.' IDENTIFIER
    ;

attribute
    : ('__attribute__' | '__attribute') '(' '(' attributeItem? (',' attributeItem?)* ')' ')'
    ;

attributeItem
    : (IDENTIFIER | 'const' | '__const' | '__const__' | 'volatile' | '__volatile__' | 'signed'
      | 'unsigned' | 'inline' | 'static' | '_Noreturn' | 'extern')
      ('(' (attributeArgument (',' attributeArgument)*)? ')')?
    ;

attributeArgument
    : expression
    | typeName
    ;

// Statements

statement
    : ifStatement
    | otherStatement
    ;

otherStatement
    : compoundStatement
    | expressions? ';'
    | labeledStatement
    | switchStatement
    | whileStatement
    | doStatement
    | forStatement
    | jumpStatement
    | asmStatement
    ;

compoundStatement
    : '{' localLabels* blockItem* '}'
    ;

localLabels
    : '__label__' IDENTIFIER (',' IDENTIFIER)* ';'
    ;

blockItem
    : declaration
    | functionDefinition
    | statement
    ;

labeledStatement
    : IDENTIFIER ':' attribute* statement
    | 'case' expression ('...' expression)? ':' statement
    | 'default' ':' statement
    ;

/** Chains of `else if` are lists: flat, and any part of them can go. */
ifStatement
    : 'if' '(' expressions ')' statement ('else' 'if' '(' expressions ')' statement)* ('else' otherStatement)?
    ;

switchStatement
    : 'switch' '(' expressions ')' statement
    ;

whileStatement
    : 'while' '(' expressions ')' statement
    ;

doStatement
    : 'do' statement 'while' '(' expressions ')' ';'
    ;

forStatement
    : 'for' '(' (declaration | expressions? ';') expressions? ';' expressions? ')' statement
    ;

jumpStatement
    : 'goto' (IDENTIFIER | '*' expressions) ';'
    | 'continue' ';'
    | 'break' ';'
    | 'return' expressions? ';'
    ;

asmDefinition
    : asmKeyword '(' STRING+ ')' ';'
    ;

asmStatement
    : asmKeyword ('volatile' | '__volatile' | '__volatile__' | 'goto' | 'inline' | '__inline' | '__inline__')*
      '(' STRING+ asmSection* ')' ';'
    ;

asmSection
    : ':' (asmOperand (',' asmOperand)*)?
    ;

asmOperand
    : ('[' IDENTIFIER ']')? STRING+ ('(' expressions ')')?
    | IDENTIFIER
    ;

asmKeyword
    : 'asm' | '__asm' | '__asm__'
    ;

// Expressions

expressions
    : expression (',' expression)*
    ;

expression
    : IDENTIFIER
    | CONSTANT
    | STRING+
    | '(' expressions ')'
    | '(' compoundStatement ')'
    | '(' (typeName | typedefName) ')' initializerList
    | genericSelection
    | builtin
    | sizeofOperator+ sizedOperand
    | nameCast+ castOperand
    | expression '[' expressions ']'
    | expression '(' (expression (',' expression)*)? ')'
    | expression ('.' | '->') IDENTIFIER
    | expression ('++' | '--')
    | ('++' | '--' | unaryOperator) expression
    | sizeofOperator+ ('++' | '--' | unaryOperator) expression
    | '&&' IDENTIFIER
    | '(' typeName ')' expression
    | nameCast+ ('~' | '!' | '++' | '--' | '__extension__' | '__real__' | '__imag__') expression
    | nameCast+ '(' typeName ')' expression
    | expression ('*' | '/' | '%') expression
    | expression ('+' | '-') expression
    | expression ('<<' | '>>') expression
    | expression ('<' | '>' | '<=' | '>=') expression
    | expression ('==' | '!=') expression
    | expression '&' expression
    | expression '^' expression
    | expression '|' expression
    | expression '&&' expression
    | expression '||' expression
    | <assoc=right> expression '?' expressions? ':' expression
    | <assoc=right> expression ('=' | '*=' | '/=' | '%=' | '+=' | '-=' | '<<=' | '>>=' | '&=' | '^=' | '|=') expression
    ;

/** A cast to a typedef name, as far as it cannot be taken for a variable in parentheses. */
nameCast
    : '(' typedefName ')'
    ;

castOperand
    : IDENTIFIER
    | CONSTANT
    | STRING+
    | genericSelection
    | builtin
    | sizeofOperator+ sizedOperand
    ;

/**
 * What `sizeof` measures, unless that starts with an operator. No cast, as in the standard, so that
 * `sizeof (int) * n` multiplies.
 */
sizedOperand
    : '(' typeName ')'
    | IDENTIFIER
    | CONSTANT
    | STRING+
    | '(' expressions ')'
    | '(' compoundStatement ')'
    | '(' (typeName | typedefName) ')' initializerList
    | genericSelection
    | builtin
    ;

sizeofOperator
    : 'sizeof' | '_Alignof' | '__alignof' | '__alignof__'
    ;

unaryOperator
    : '&' | '*' | '+' | '-' | '~' | '!'
    | '__extension__' | '__real' | '__real__' | '__imag' | '__imag__'
    ;

genericSelection
    : '_Generic' '(' expression (',' genericAssociation)+ ')'
    ;

genericAssociation
    : (anyTypeName | 'default') ':' expression
    ;

builtin
    : '__builtin_va_arg' '(' expression ',' anyTypeName ')'
    | '__builtin_offsetof' '(' anyTypeName ',' offset ')'
    | '__builtin_types_compatible_p' '(' anyTypeName ',' anyTypeName ')'
    | '__builtin_convertvector' '(' expression ',' anyTypeName ')'
    | '__builtin_tgmath' '(' expression (',' expression)* ')'
    ;

offset
    : IDENTIFIER ('.' IDENTIFIER | '->' IDENTIFIER | '[' expressions ']')*
    ;

// Tokens

IDENTIFIER
    : IdentifierStart IdentifierPart*
    ;

fragment IdentifierStart
    : [a-zA-Z_$\u0080-\u{10FFFF}] | RareUniversalName
    ;

fragment IdentifierPart
    : IdentifierStart | [0-9]
    ;

/** An escape stands for a letter; which ones do is not spelled out. */
fragment RareUniversalName
    : '\\u' Hex Hex Hex Hex
    | '\\U' Hex Hex Hex Hex Hex Hex Hex Hex
    ;

fragment Hex
    : [0-9a-fA-F]
    ;

CONSTANT
    : ('0' | [1-9] [0-9]* | '0' [0-7]+ | '0' [xX] Hex+) ([uU] Long? | Long [uU]?)?
    | ([0-9]+ '.' [0-9]* | '.' [0-9]+) Exponent? [fFlL]?
    | [0-9]+ Exponent [fFlL]?
    | ('L' | 'u' | 'U')? '\'' ('\\' [abfnrtv\\'"?0-7] | ~['\\\r\n]) '\''
    | RareConstant
    ;

fragment Long
    : 'l' | 'L' | 'll' | 'LL'
    ;

fragment Exponent
    : [eE] [+-]? [0-9] [0-9]?
    ;

/** Numbers of every form and suffix, as the standard's preprocessing numbers; characters. */
fragment RareConstant
    : '.'? [0-9] ([eEpP] [+-] | [0-9a-zA-Z_.])*
    | ('L' | 'u' | 'U' | 'u8')? '\'' ('\\' . | ~['\\\r\n])+ '\''
    ;

STRING
    : ('L' | 'u8' | 'u' | 'U')? '"' ('\\' ('\r\n' | .) | ~["\\\r\n])* '"'
    ;

LINE_CONTINUATION
    : '\\' [ \t]* '\r'? '\n' -> skip
    ;

PREPROCESSOR_LINE
    : '#' ('\\' '\r'? '\n' | '\\' ~[\r\n] | ~[\\\r\n])* -> skip
    ;

WHITE_SPACE
    : [ \t\r\n\f\u000B]+ -> skip
    ;

BLOCK_COMMENT
    : '/*' .*? '*/' -> skip
    ;

LINE_COMMENT
    : '//' ('\\' '\r'? '\n' | ~[\r\n])* -> skip
    ;
