// SMT-LIB 2.6 scripts, after its standard (Barrett, Fontaine, Tinelli: "The SMT-LIB Standard,
// version 2.6", Appendix B). The names of the rules are the standard's.
//
// What solvers add and their files use is here too: `lambda` (of version 2.7), data types as in version
// 2.5, soft assertions and objectives, literals of `check-sat-assuming` that are terms, `push` and `pop` without a number, and
// commands that the standard does not know (`otherCommand`), whose arguments are S-expressions.

grammar smtlib;

script : command* EOF ;

command
    : '(' 'assert' term ')'
    | '(' 'check-sat' ')'
    | '(' 'check-sat-assuming' '(' term* ')' ')'
    | '(' 'declare-const' symbol sort ')'
    | '(' 'declare-datatype' symbol datatypeDeclaration ')'
    | '(' 'declare-datatypes' '(' sortDeclaration+ ')' '(' datatypeDeclaration+ ')' ')'
    | '(' 'declare-datatypes' '(' symbol* ')' '(' namedDatatypeDeclaration+ ')' ')'
    | '(' 'declare-fun' symbol '(' sort* ')' sort ')'
    | '(' 'declare-sort' symbol NUMERAL? ')'
    | '(' 'define-const' symbol sort term ')'
    | '(' 'define-fun' functionDefinition ')'
    | '(' 'define-fun-rec' functionDefinition ')'
    | '(' 'define-funs-rec' '(' functionDeclaration+ ')' '(' term+ ')' ')'
    | '(' 'define-sort' symbol '(' symbol* ')' sort ')'
    | '(' 'echo' STRING ')'
    | '(' 'exit' ')'
    | '(' 'get-assertions' ')'
    | '(' 'get-assignment' ')'
    | '(' 'get-info' KEYWORD ')'
    | '(' 'get-model' ')'
    | '(' 'get-option' KEYWORD ')'
    | '(' 'get-proof' ')'
    | '(' 'get-unsat-assumptions' ')'
    | '(' 'get-unsat-core' ')'
    | '(' 'get-value' '(' term+ ')' ')'
    | '(' 'pop' NUMERAL? ')'
    | '(' 'push' NUMERAL? ')'
    | '(' 'reset' ')'
    | '(' 'reset-assertions' ')'
    | '(' 'set-info' attribute ')'
    | '(' 'set-logic' symbol ')'
    | '(' 'set-option' attribute ')'
    | '(' 'assert-soft' term attribute* ')'
    | '(' ('minimize' | 'maximize') term attribute* ')'
    | otherCommand
    ;

otherCommand : '(' (SIMPLE_SYMBOL | QUOTED_SYMBOL) sExpression* ')' ;

sortDeclaration : '(' symbol NUMERAL ')' ;

datatypeDeclaration
    : '(' constructorDeclaration+ ')'
    | '(' 'par' '(' symbol+ ')' '(' constructorDeclaration+ ')' ')'
    ;

// As version 2.5 had it.
namedDatatypeDeclaration : '(' symbol (constructorDeclaration | symbol)+ ')' ;

constructorDeclaration : '(' symbol selectorDeclaration* ')' ;

selectorDeclaration : '(' symbol sort ')' ;

functionDeclaration : '(' symbol '(' sortedVariable* ')' sort ')' ;

functionDefinition : symbol '(' sortedVariable* ')' sort term ;

sortedVariable : '(' symbol sort ')' ;

sort : identifier | '(' identifier sort+ ')' ;

identifier : symbol | '(' '_' symbol index+ ')' ;

// Solvers write the signature of a constructor after `is`.
index : NUMERAL | symbol | HEXADECIMAL | '(' sExpression* ')' ;

term
    : specConstant
    | qualIdentifier
    | '(' qualIdentifier term+ ')'
    | '(' 'let' '(' variableBinding+ ')' term ')'
    | '(' ('forall' | 'exists' | 'lambda') '(' sortedVariable+ ')' term ')'
    | '(' 'match' term '(' matchCase+ ')' ')'
    | '(' '!' term attribute+ ')'
    ;

qualIdentifier : identifier | '(' 'as' identifier sort ')' ;

variableBinding : '(' symbol term ')' ;

matchCase : '(' pattern term ')' ;

pattern : symbol | '(' symbol symbol+ ')' ;

attribute : KEYWORD attributeValue? ;

attributeValue : specConstant | symbol | '(' sExpression* ')' ;

sExpression : specConstant | symbol | reserved | KEYWORD | '(' sExpression* ')' ;

specConstant : NUMERAL | DECIMAL | HEXADECIMAL | BINARY | STRING ;

// The words that are not the standard's are not reserved.
symbol
    : SIMPLE_SYMBOL
    | QUOTED_SYMBOL
    | 'lambda' | 'assert-soft' | 'define-const' | 'maximize' | 'minimize'
    ;

reserved
    : '!' | '_' | 'as' | 'exists' | 'forall' | 'let' | 'match' | 'par'
    | 'assert' | 'check-sat' | 'check-sat-assuming' | 'declare-const'
    | 'declare-datatype' | 'declare-datatypes' | 'declare-fun' | 'declare-sort'
    | 'define-fun' | 'define-fun-rec' | 'define-funs-rec' | 'define-sort' | 'echo' | 'exit'
    | 'get-assertions' | 'get-assignment' | 'get-info' | 'get-model' | 'get-option' | 'get-proof'
    | 'get-unsat-assumptions' | 'get-unsat-core' | 'get-value' | 'pop'
    | 'push' | 'reset' | 'reset-assertions' | 'set-info' | 'set-logic' | 'set-option'
    ;

NUMERAL : '0' | [1-9] [0-9]* ;

DECIMAL : ('0' | [1-9] [0-9]*) '.' [0-9]+ ;

HEXADECIMAL : '#x' [0-9a-fA-F]+ ;

BINARY : '#b' [01]+ ;

STRING : '"' (~["] | '""')* '"' ;

KEYWORD : ':' SYMBOL_CHARACTER+ ;

SIMPLE_SYMBOL : [a-zA-Z] SYMBOL_CHARACTER* | RareSymbol ;

// Names of operators mostly, and of solvers' own things.
fragment RareSymbol : SYMBOL_START SYMBOL_CHARACTER* ;

QUOTED_SYMBOL : '|' ~[|\\_] ~[|\\]* '|' | RareQuoted ;

// Quotes do not make another name of a reserved word for all solvers.
fragment RareQuoted : '|' ~[|\\]* '|' ;

fragment SYMBOL_START : [a-zA-Z~!@$%^&*_\-+=<>.?/] ;

fragment SYMBOL_CHARACTER : SYMBOL_START | [0-9] ;

COMMENT : ';' ~[\r\n]* -> channel(HIDDEN) ;

WHITE_SPACE : [ \t\r\n]+ -> skip ;
