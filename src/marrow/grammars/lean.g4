// Lean 4 in outline, after its language reference (files, namespaces and sections, definitions,
// tactic proofs). Any file can add notations and tactics, so terms have no rules: a file is its
// imports, then commands, each of which a keyword begins; namespaces and sections are one piece
// each; brackets nest.

grammar lean;

file : 'module'? 'prelude'? imported* command* EOF ;

imported : 'public'? 'meta'? 'import' 'all'? IDENTIFIER ;

command : block | declaration | simple ;

block : opening command* 'end' IDENTIFIER? ;

opening : modifier* ('namespace' IDENTIFIER | 'section' IDENTIFIER? | 'mutual') ;

declaration : modifier* keyword head* definition? deriving? ;

modifier
    : 'private' | 'protected' | 'public' | 'noncomputable' | 'partial' | 'unsafe' | 'nonrec'
    | 'local' | 'scoped' | 'meta' | '@[' inner* ']'
    ;

keyword
    : 'def' | 'theorem' | 'lemma' | 'example' | 'abbrev' | 'instance' | 'axiom' | 'opaque'
    | 'inductive' | 'coinductive' | 'structure' | 'class' | 'macro' | 'syntax' | 'notation'
    | 'elab' | 'macro_rules' | 'elab_rules' | 'infix' | 'infixl' | 'infixr' | 'prefix' | 'postfix'
    | 'declare_syntax_cat' | 'initialize' | 'builtin_initialize' | 'simproc' | 'alias'
    | 'irreducible_def' | 'register_option'
    ;

definition : ':=' value | 'where' value | alternative+ ;

value : part* alternative* ;

alternative : '|' part* ;

deriving : 'deriving' term+ ;

// What is opened may end with the file.
simple
    : opening
    | ('variable' | 'universe' | 'set_option' | 'export' | 'attribute') term+
    | 'open' term+
    | 'deriving' 'instance' term+
    | modifier* other term*
    ;

other
    : 'grind_pattern' | 'deprecated_module' | 'run_cmd' | 'run_meta' | 'add_decl_doc'
    | 'library_note' | COMMAND
    ;

head : plain | group | '=>' | ('private' | 'protected' | 'unsafe') plain ;

part : head | ':=' | 'where' ;

term : part | '|' ;

plain : IDENTIFIER | 'all' | 'module' | NUMBER | STRING | CHARACTER | SYMBOL ;

group
    : '(' inner* ')' | '{' inner* '}' | '⟨' inner* '⟩' | ('[' | '#[' | '@[') inner* ']'
    ;

inner
    : term | modifier | keyword | 'open' | 'export' | 'deriving' | 'section' | 'end' | 'import'
    | 'set_option' | 'variable' | 'universe' | 'attribute' | COMMAND
    ;

fragment LETTER : [\p{L}_] ;

IDENTIFIER : '@'? PART ('.' PART)* ;

fragment PART : LETTER [\p{L}\p{M}\p{N}_'!?]* | '«' ~'»'* '»' ;

// `#check`, `#eval` and others.
COMMAND : '#' LETTER [\p{L}_]* ;

NUMBER : [0-9] [0-9_]* ('.' [0-9]+)? ([eE] [+-]? [0-9]+)? | '0' [xX] [0-9a-fA-F]+ | '0' [bB] [01]+ ;

STRING : '"' (~["\\] | '\\' .)* '"' ;

CHARACTER : '\'' (~['\\] | '\\' .) '\'' ;

COMMENT : '--' ~[\r\n]* -> channel(HIDDEN) ;

BLOCK_COMMENT : '/-' (BLOCK_COMMENT | .)*? '-/' -> channel(HIDDEN) ;

WHITE_SPACE : [ \t\r\n]+ -> skip ;

SYMBOL : ~[ \t\r\n"()[\]{}⟨⟩] ;
