/**
 * Java 17, after chapter 19 of the Java Language Specification.
 *
 * A name may be a package, a type or a variable; as in the specification a plain name is read as
 * `name` first and only what follows makes it a type or an expression. `>` is always a token of its
 * own, because type arguments close with it; `>>` and `>>>` are two and three of them.
 */
grammar java;

compilationUnit
    : packageDeclaration? importDeclaration* typeDeclaration* EOF
    | importDeclaration* moduleDeclaration EOF
    ;

packageDeclaration
    : annotation* 'package' name ';'
    ;

importDeclaration
    : 'import' 'static'? identifier ('.' identifier)* ('.' '*')? ';'
    ;

typeDeclaration
    : modifier* typeKind
    | ';'
    ;

typeKind
    : classDeclaration
    | enumDeclaration
    | recordDeclaration
    | interfaceDeclaration
    | annotationInterfaceDeclaration
    ;

// Modules

moduleDeclaration
    : annotation* 'open'? 'module' name '{' moduleDirective* '}'
    ;

moduleDirective
    : 'requires' ('transitive' | 'static')* name ';'
    | 'exports' name ('to' name (',' name)*)? ';'
    | 'opens' name ('to' name (',' name)*)? ';'
    | 'uses' name ';'
    | 'provides' name 'with' name (',' name)* ';'
    ;

// Names and types

identifier
    : IDENTIFIER
    | 'record' | 'sealed' | 'permits' | 'yield'
    | 'open' | 'module' | 'requires' | 'transitive' | 'exports' | 'opens' | 'to' | 'uses'
    | 'provides' | 'with'
    ;

name
    : identifier ('.' identifier)*
    ;

type
    : annotation* unannotatedType
    ;

/** A type where modifiers, which take the annotations, stand in front. */
unannotatedType
    : primitiveType
    | referenceType
    ;

primitiveType
    : 'boolean' | 'byte' | 'short' | 'int' | 'long' | 'char' | 'float' | 'double'
    ;

referenceType
    : name
    | constructedType
    ;

/** A type that cannot be taken for an expression. */
constructedType
    : parameterizedType dimensions?
    | name dimensions
    | primitiveType dimensions
    ;

parameterizedType
    : name typeArguments ('.' annotation* identifier typeArguments?)*
    | identifier ('.' identifier)* '.' annotation+ identifier typeArguments? ('.' annotation* identifier typeArguments?)*
    ;

classType
    : annotation* (name | parameterizedType)
    ;

dimensions
    : (annotation* '[' ']')+
    ;

typeArguments
    : '<' typeArgument (',' typeArgument)* '>'
    ;

typeArgument
    : type
    | annotation* '?' (('extends' | 'super') type)?
    ;

typeParameters
    : '<' typeParameter (',' typeParameter)* '>'
    ;

typeParameter
    : annotation* identifier ('extends' classType ('&' classType)*)?
    ;

// Classes

modifier
    : annotation
    | 'public' | 'protected' | 'private' | 'static' | 'abstract' | 'final' | 'native'
    | 'synchronized' | 'transient' | 'volatile' | 'strictfp' | 'default' | 'sealed' | 'non-sealed'
    ;

classDeclaration
    : 'class' identifier typeParameters? ('extends' classType)? implementsClause? permitsClause? classBody
    ;

implementsClause
    : 'implements' classType (',' classType)*
    ;

permitsClause
    : 'permits' name (',' name)*
    ;

classBody
    : '{' classMember* '}'
    ;

classMember
    : modifier* member
    | 'static'? block
    | ';'
    ;

member
    : fieldDeclaration
    | methodDeclaration
    | constructorDeclaration
    | typeKind
    ;

fieldDeclaration
    : unannotatedType variableDeclarator (',' variableDeclarator)* ';'
    ;

variableDeclarator
    : identifier dimensions? ('=' variableInitializer)?
    ;

variableInitializer
    : expression
    | arrayInitializer
    ;

arrayInitializer
    : '{' (variableInitializer (',' variableInitializer)*)? ','? '}'
    ;

methodDeclaration
    : (unannotatedType | 'void') identifier parameters dimensions? throwsClause? (block | ';')
    | typeParameters annotation* (unannotatedType | 'void') identifier parameters dimensions? throwsClause? (block | ';')
    ;

constructorDeclaration
    : typeParameters? identifier parameters throwsClause? block
    ;

parameters
    : '(' (parameter (',' parameter)*)? ')'
    ;

parameter
    : modifier* unannotatedType (annotation* '...')? identifier dimensions?
    | modifier* unannotatedType (identifier '.')? 'this'
    ;

throwsClause
    : 'throws' classType (',' classType)*
    ;

enumDeclaration
    : 'enum' identifier implementsClause?
      '{' (enumConstant (',' enumConstant)*)? ','? (';' classMember*)? '}'
    ;

enumConstant
    : annotation* identifier arguments? classBody?
    ;

recordDeclaration
    : 'record' identifier typeParameters? '(' (recordComponent (',' recordComponent)*)? ')'
      implementsClause? '{' recordMember* '}'
    ;

recordComponent
    : modifier* unannotatedType (annotation* '...')? identifier
    ;

recordMember
    : classMember
    | modifier* identifier block
    ;

interfaceDeclaration
    : 'interface' identifier typeParameters? ('extends' classType (',' classType)*)? permitsClause? classBody
    ;

annotationInterfaceDeclaration
    : '@' 'interface' identifier '{' annotationMember* '}'
    ;

annotationMember
    : modifier* unannotatedType identifier '(' ')' dimensions? ('default' elementValue)? ';'
    | modifier* fieldDeclaration
    | modifier* typeKind
    | ';'
    ;

annotation
    : '@' name ('(' (elementPair (',' elementPair)* | elementValue)? ')')?
    ;

elementPair
    : identifier '=' elementValue
    ;

elementValue
    : expression
    | annotation
    | '{' (elementValue (',' elementValue)*)? ','? '}'
    ;

// Statements

block
    : '{' blockStatement* '}'
    ;

blockStatement
    : localVariableDeclaration ';'
    | modifier* typeKind
    | statement
    ;

localVariableDeclaration
    : modifier* unannotatedType variableDeclarator (',' variableDeclarator)*
    ;

statement
    : ifStatement
    | otherStatement
    ;

otherStatement
    : block
    | ';'
    | identifier ':' statement
    | whileStatement
    | doStatement
    | forStatement
    | switchStatement
    | tryStatement
    | 'synchronized' '(' expression ')' block
    | 'return' expression? ';'
    | 'throw' expression ';'
    | 'break' identifier? ';'
    | 'continue' identifier? ';'
    | 'yield' expression ';'
    | 'assert' expression (':' expression)? ';'
    | expression ';'
    ;

/** Chains of `else if` are lists: flat, and any part of them can go. */
ifStatement
    : 'if' '(' expression ')' statement ('else' 'if' '(' expression ')' statement)* ('else' otherStatement)?
    ;

whileStatement
    : 'while' '(' expression ')' statement
    ;

doStatement
    : 'do' statement 'while' '(' expression ')' ';'
    ;

forStatement
    : 'for' '(' forInit? ';' expression? ';' (expression (',' expression)*)? ')' statement
    | 'for' '(' modifier* unannotatedType identifier dimensions? ':' expression ')' statement
    ;

forInit
    : localVariableDeclaration
    | expression (',' expression)*
    ;

switchStatement
    : 'switch' '(' expression ')' switchBlock
    ;

switchBlock
    : '{' switchGroup* '}'
    | '{' switchRule+ '}'
    ;

switchGroup
    : switchLabel ':' blockStatement*
    ;

switchRule
    : switchLabel '->' (expression ';' | block | 'throw' expression ';')
    ;

switchLabel
    : 'case' constantExpression (',' constantExpression)*
    | 'default'
    ;

/** What a case may name: an expression without lambdas, whose arrow would be taken for the rule's. */
constantExpression
    : name
    | literal
    | name arguments
    | '(' constantExpression ')'
    | '(' (primitiveType | name) ')' constantExpression
    | ('+' | '-' | '~' | '!') constantExpression
    | constantExpression ('*' | '/' | '%') constantExpression
    | constantExpression ('+' | '-') constantExpression
    | constantExpression '<<' constantExpression
    | constantExpression '>' '>' constantExpression
    | constantExpression '>' '>' '>' constantExpression
    | constantExpression ('<' | '>' | '<=' | '>=') constantExpression
    | constantExpression ('==' | '!=') constantExpression
    | constantExpression '&' constantExpression
    | constantExpression '^' constantExpression
    | constantExpression '|' constantExpression
    | constantExpression '&&' constantExpression
    | constantExpression '||' constantExpression
    | <assoc=right> constantExpression '?' constantExpression ':' constantExpression
    ;

tryStatement
    : 'try' resources? block catchClause* ('finally' block)?
    ;

resources
    : '(' resource (';' resource)* ';'? ')'
    ;

resource
    : modifier* unannotatedType identifier '=' expression
    | expression
    ;

catchClause
    : 'catch' '(' modifier* unannotatedType ('|' type)* identifier ')' block
    ;

// Expressions

expression
    : operation
    | operation '?' expression ':' expression
    | operation assignmentOperator expression
    | lambdaExpression
    ;

lambdaExpression
    : lambdaParameters '->' (expression | block)
    | referenceCast lambdaExpression
    ;

lambdaParameters
    : identifier
    | '(' (identifier (',' identifier)*)? ')'
    | '(' parameter (',' parameter)* ')'
    ;

operation
    : relation
    | relation 'instanceof' ('final' | annotation)* unannotatedType identifier?
    | operation ('==' | '!=') operation
    | operation '&' operation
    | operation '^' operation
    | operation '|' operation
    | operation '&&' operation
    | operation '||' operation
    ;

/** Operations from the relational operators inwards; what `instanceof` asks about. */
relation
    : name
    | primary
    | newArray
    | switchStatement
    | relation ('++' | '--')
    | ('++' | '--' | '+' | '-' | '~' | '!') relation
    | '(' annotation* primitiveType ')' relation
    | referenceCast ('~' | '!') relation
    | referenceCast castOperand
    | relation ('*' | '/' | '%') relation
    | relation ('+' | '-') relation
    | relation '<<' relation
    | relation '>' '>' relation
    | relation '>' '>' '>' relation
    | relation ('<' | '>' | '<=' | '>=') relation
    ;

assignmentOperator
    : '=' | '*=' | '/=' | '%=' | '+=' | '-=' | '<<=' | '>>=' | '>>>=' | '&=' | '^=' | '|='
    ;

referenceCast
    : '(' annotation* referenceType ('&' classType)* ')'
    ;

castOperand
    : name
    | primary
    | newArray
    | switchStatement
    | referenceCast castOperand
    | '(' annotation* primitiveType ')' castOperand
    ;

primary
    : literal
    | 'this'
    | '(' expression ')'
    | classLiteral
    | identifier ('.' identifier)* '.' 'this'
    | name arguments
    | ('this' | 'super') arguments
    | typeArguments ('this' | 'super') arguments
    | identifier ('.' identifier)* '.' typeArguments identifier arguments
    | identifier ('.' identifier)* '.' typeArguments? 'super' arguments
    | identifier ('.' identifier)* '.' 'super' '.' typeArguments? identifier arguments
    | identifier ('.' identifier)* '.' 'super' '.' identifier
    | identifier ('.' identifier)* '.' 'super' '::' typeArguments? identifier
    | identifier ('.' identifier)* '.' newObject
    | 'super' '.' typeArguments? identifier arguments
    | 'super' '.' identifier
    | 'super' '::' typeArguments? identifier
    | (primary | newArray) '.' typeArguments? identifier arguments
    | (primary | newArray) '.' identifier
    | primary '.' typeArguments? 'super' arguments
    | primary '.' newObject
    | (name | primary) '[' expression ']'
    | newObject
    | 'new' annotation* createdType dimensions arrayInitializer
    | (name | primary | constructedType | primitiveType) '::' typeArguments? (identifier | 'new')
    ;

classLiteral
    : identifier ('.' identifier)* '.' 'class'
    | name dimensions '.' 'class'
    | primitiveType dimensions? '.' 'class'
    | 'void' '.' 'class'
    ;

arguments
    : '(' (expression (',' expression)*)? ')'
    ;

newObject
    : 'new' typeArguments? annotation* createdClass arguments classBody?
    ;

createdClass
    : name
    | name diamond
    | parameterizedType diamond?
    ;

diamond
    : '<' '>'
    ;

/** Without an initializer; what would index it is a dimension. */
newArray
    : 'new' annotation* createdType (annotation* '[' expression ']')+ dimensions?
    ;

createdType
    : primitiveType
    | name
    | parameterizedType
    ;

literal
    : INTEGER
    | FLOATING_POINT
    | CHARACTER
    | STRING
    | TEXT_BLOCK
    | 'true'
    | 'false'
    | 'null'
    ;

// Tokens

INTEGER
    : ( '0' [xX] HexDigits | '0' [bB] [01] ([01_]* [01])? | '0' | [1-9] ([0-9_]* [0-9])?
      | '0' [0-7] ([0-7_]* [0-7])? | RareInteger) [lL]?
    ;

/** Digits behind a zero are octal, and no number if one is too large. */
fragment RareInteger
    : Digits
    ;

FLOATING_POINT
    : Digits '.' Digits? Exponent? [fFdD]?
    | '.' Digits Exponent? [fFdD]?
    | Digits (Exponent [fFdD]? | [fFdD])
    | '0' [xX] (HexDigits '.'? | HexDigits? '.' HexDigits) BinaryExponent [fFdD]?
    ;

fragment Digits
    : [0-9] ([0-9_]* [0-9])?
    ;

fragment HexDigits
    : [0-9a-fA-F] ([0-9a-fA-F_]* [0-9a-fA-F])?
    ;

fragment Exponent
    : [eE] [+-]? [12]? [0-9]
    | RareExponent
    ;

fragment BinaryExponent
    : [pP] [+-]? [12]? [0-9]
    | RareBinaryExponent
    ;

/** Numbers that are too large, or too small, for their type. */
fragment RareExponent
    : [eE] [+-]? Digits
    ;

fragment RareBinaryExponent
    : [pP] [+-]? Digits
    ;

CHARACTER
    : '\'' (Escape | ~['\\\r\n]) '\''
    ;

STRING
    : '"' (Escape | ~["\\\r\n])* '"'
    ;

TEXT_BLOCK
    : '"""' [ \t\f]* '\r'? '\n' (BlockEscape | ~["\\] | '"' ~["\\] | '"' BlockEscape | '""' ~["\\] | '""' BlockEscape)* '"""'
    ;

fragment BlockEscape
    : '\\' [btnfrs"'\\\n]
    | RareBlockEscape
    ;

fragment RareBlockEscape
    : '\\' .
    ;

fragment Escape
    : '\\' [btnfrs"'\\]
    | '\\' [0-3]? [0-7]? [0-7]
    | UnicodeEscape
    ;

fragment UnicodeEscape
    : '\\' 'u'+ [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]
    ;

IDENTIFIER
    : [a-zA-Z$] IdentifierPart*
    | '_' IdentifierPart+
    | RareIdentifier
    ;

fragment IdentifierPart
    : [a-zA-Z_$0-9]
    | RareIdentifierStart
    ;

/** A lone underscore is a keyword. */
fragment RareIdentifier
    : ('_' | RareIdentifierStart) IdentifierPart*
    ;

/** Which characters and escapes are letters is not spelled out. */
fragment RareIdentifierStart
    : [\u0080-\u{10FFFF}] | UnicodeEscape
    ;

WHITE_SPACE
    : [ \t\r\n\f\u001A]+ -> skip
    ;

BLOCK_COMMENT
    : '/*' .*? '*/' -> skip
    ;

LINE_COMMENT
    : '//' ~[\r\n]* -> skip
    ;
