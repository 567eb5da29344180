// Coq (Rocq) in outline, after its reference manual (lexical conventions, vernacular, proof mode).
// Any file can extend the syntax of terms and tactics, so these have no rules: a file is a
// sequence of sentences, which end at a period; proofs and sections are one piece each; brackets nest.

grammar coq;

file : command* EOF ;

command : section | proof | sentence | closing ;

sentence : (BULLET* (plain | match | '(' term* ')' | '[' term* ']') | 'Module') term* END ;

// A proof by a script, and one by a term.
proof : 'Proof' term* END step* closing | 'Proof' term+ END ;

step : sentence | BULLET* '{' step+ '}' ;

closing : ('Qed' | 'Defined' | 'Admitted' | 'Abort' | 'Save') term* END ;

section : ('Section' | 'Module') term+ END command* 'End' plain END ;

term
    : plain
    | BULLET
    | 'Module'
    | 'Proof'
    | ('(' | '.(') term* ')'
    | ('[' | '.[') term* ']'
    | '{' term* '}'
    | match
    ;

match : ('match' | 'lazymatch' | 'multimatch') term* 'end' ;

plain : IDENTIFIER | NUMBER | STRING | SYMBOL | 'with' ;

// A qualified name is one token, so that a period in it ends nothing.
IDENTIFIER : FIRST REST* ('.' FIRST REST*)* ;

fragment FIRST : [\p{L}_] ;

fragment REST : [\p{L}\p{M}\p{N}_'] ;

NUMBER : [0-9] [0-9_]* ('.' [0-9]+)? ([eE] [+-]? [0-9]+)? | '0x' [0-9a-fA-F]+ ;

STRING : '"' (~'"' | '""')* '"' ;

END : '.' | '...' ;

BULLET : '-'+ | '+'+ | '*'+ ;

COMMENT : '(*' (COMMENT | .)*? '*)' -> channel(HIDDEN) ;

WHITE_SPACE : [ \t\r\n\f\p{Zs}]+ -> skip ;

SYMBOL : '..' | ~[ \t\r\n\f"()[\]{}.] ;
