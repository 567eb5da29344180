// SQL as SQLite understands it (3.46), after the syntax diagrams of its documentation
// (sqlite.org/lang.html); the names of the rules are the diagrams', spelled out.
//
// Looser than SQLite: table constraints may stand before columns, and what only makes sense in some
// statements (RAISE, bound parameters, RETURNING in triggers) may stand wherever its syntax fits.
// Stricter: NOT is no operand of a comparison (`a = NOT b`) unless it stands in parentheses.

grammar sqlite;

options { caseInsensitive = true; }

script : (statement? ';')* statement? EOF ;

statement
    : explain?
    ( alterTable
    | analyze
    | attach
    | begin
    | commit
    | createIndex
    | createTable
    | createTrigger
    | createView
    | createVirtualTable
    | delete
    | detach
    | drop
    | insert
    | pragma
    | reindex
    | release
    | rollback
    | savepoint
    | select
    | update
    | vacuum
    )
    ;

explain : 'EXPLAIN' ('QUERY' 'PLAN')? ;

// Transactions and the database as a whole

begin : 'BEGIN' ('DEFERRED' | 'IMMEDIATE' | 'EXCLUSIVE')? ('TRANSACTION' name?)? ;

commit : ('COMMIT' | 'END') ('TRANSACTION' name?)? ;

rollback : 'ROLLBACK' ('TRANSACTION' name?)? ('TO' 'SAVEPOINT'? name)? ;

savepoint : 'SAVEPOINT' name ;

release : 'RELEASE' 'SAVEPOINT'? name ;

analyze : 'ANALYZE' qualifiedName? ;

attach : 'ATTACH' 'DATABASE'? expression 'AS' expression ('KEY' expression)? ;

detach : 'DETACH' 'DATABASE'? expression ;

pragma : 'PRAGMA' qualifiedName ('=' pragmaValue | '(' pragmaValue ')')? ;

pragmaValue : signedNumber | name | 'ON' | 'DELETE' | 'DEFAULT' ;

reindex : 'REINDEX' qualifiedName? ;

vacuum : 'VACUUM' name? ('INTO' expression)? ;

// Definitions

alterTable
    : 'ALTER' 'TABLE' qualifiedName
    ( 'RENAME' 'TO' name
    | 'RENAME' 'COLUMN'? name 'TO' name
    | 'ADD' 'COLUMN'? columnDefinition
    | 'DROP' 'COLUMN'? name
    )
    ;

createIndex
    : 'CREATE' 'UNIQUE'? 'INDEX' ifNotExists? qualifiedName 'ON' name
      '(' indexedColumn (',' indexedColumn)* ')' where?
    ;

indexedColumn : expression ('ASC' | 'DESC')? nulls? ;

createTable
    : 'CREATE' temporary? 'TABLE' ifNotExists? qualifiedName
    ( '(' tableElement (',' tableElement)* ')' (tableOption (',' tableOption)*)?
    | 'AS' select
    )
    ;

temporary : 'TEMP' | 'TEMPORARY' ;

ifNotExists : 'IF' 'NOT' 'EXISTS' ;

ifExists : 'IF' 'EXISTS' ;

// Between table constraints the comma may be left out.
tableElement : columnDefinition | tableConstraint+ ;

tableOption : 'WITHOUT' name | IDENTIFIER ;

columnDefinition : name typeName? columnConstraint* ;

typeName : typeWord+ ('(' signedNumber (',' signedNumber)? ')')? ;

typeWord : IDENTIFIER | STRING | unreserved ;

columnConstraint
    : 'CONSTRAINT' name
    | 'PRIMARY' 'KEY' ('ASC' | 'DESC')? conflictClause? 'AUTOINCREMENT'?
    | 'NOT' 'NULL' conflictClause?
    | 'NULL' conflictClause?
    | 'UNIQUE' conflictClause?
    | 'CHECK' '(' expression ')' conflictClause?
    | 'DEFAULT' (signedLiteral | identifier | '(' expression ')')
    | 'COLLATE' name
    | foreignKeyClause
    | deferrable
    | ('GENERATED' 'ALWAYS')? 'AS' '(' expression ')' ('STORED' | 'VIRTUAL')?
    ;

tableConstraint
    : 'CONSTRAINT' name
    | 'PRIMARY' 'KEY' '(' indexedColumn (',' indexedColumn)* 'AUTOINCREMENT'? ')' conflictClause?
    | 'UNIQUE' '(' indexedColumn (',' indexedColumn)* ')' conflictClause?
    | 'CHECK' '(' expression ')' conflictClause?
    | 'FOREIGN' 'KEY' '(' name (',' name)* ')' foreignKeyClause deferrable?
    ;

conflictClause : 'ON' 'CONFLICT' conflictResolution ;

conflictResolution : 'ROLLBACK' | 'ABORT' | 'FAIL' | 'IGNORE' | 'REPLACE' ;

foreignKeyClause : 'REFERENCES' name ('(' name (',' name)* ')')? foreignKeyAction* ;

foreignKeyAction
    : 'ON' ('DELETE' | 'UPDATE' | 'INSERT')
      ('SET' 'NULL' | 'SET' 'DEFAULT' | 'CASCADE' | 'RESTRICT' | 'NO' 'ACTION')
    | 'MATCH' name
    ;

deferrable : 'NOT'? 'DEFERRABLE' ('INITIALLY' ('DEFERRED' | 'IMMEDIATE'))? ;

createTrigger
    : 'CREATE' temporary? 'TRIGGER' ifNotExists? qualifiedName ('BEFORE' | 'AFTER' | 'INSTEAD' 'OF')?
      ('DELETE' | 'INSERT' | 'UPDATE' ('OF' name (',' name)*)?) 'ON' qualifiedName
      ('FOR' 'EACH' 'ROW')? ('WHEN' expression)?
      'BEGIN' triggerStatement+ 'END'
    ;

triggerStatement : (update | insert | delete | select) ';' ;

createView
    : 'CREATE' temporary? 'VIEW' ifNotExists? qualifiedName ('(' name (',' name)* ')')? 'AS' select
    ;

createVirtualTable
    : 'CREATE' 'VIRTUAL' 'TABLE' ifNotExists? qualifiedName 'USING' name
      ('(' moduleArgument (',' moduleArgument)* ')')?
    ;

// Each module reads its arguments in its own way: anything with matching parentheses.
moduleArgument : modulePart* ;

modulePart : ~('(' | ')' | ',') | '(' moduleArgument (',' moduleArgument)* ')' ;

drop : 'DROP' ('TABLE' | 'INDEX' | 'VIEW' | 'TRIGGER') ifExists? qualifiedName ;

// Changing what is in tables

delete
    : with? 'DELETE' 'FROM' qualifiedTable where? returning? orderBy? limit?
    ;

qualifiedTable : qualifiedName ('AS' name)? indexedBy? ;

indexedBy : 'INDEXED' 'BY' name | 'NOT' 'INDEXED' ;

insert
    : with? ('INSERT' ('OR' conflictResolution)? | 'REPLACE') 'INTO' qualifiedName ('AS' name)?
      ('(' name (',' name)* ')')? (select upsert* | 'DEFAULT' 'VALUES') returning?
    ;

upsert
    : 'ON' 'CONFLICT' ('(' indexedColumn (',' indexedColumn)* ')' where?)?
      'DO' ('NOTHING' | 'UPDATE' 'SET' assignment (',' assignment)* where?)
    ;

assignment : (name | '(' name (',' name)* ')') '=' expression ;

returning : 'RETURNING' resultColumn (',' resultColumn)* ;

update
    : with? 'UPDATE' ('OR' conflictResolution)? qualifiedTable 'SET' assignment (',' assignment)*
      from? where? returning? orderBy? limit?
    ;

where : 'WHERE' expression ;

// Queries

select : with? selectCore (compoundOperator selectCore)* orderBy? limit? ;

with : 'WITH' 'RECURSIVE'? commonTableExpression (',' commonTableExpression)* ;

commonTableExpression
    : name ('(' name (',' name)* ')')? 'AS' ('NOT'? 'MATERIALIZED')? '(' select ')'
    ;

compoundOperator : 'UNION' 'ALL'? | 'INTERSECT' | 'EXCEPT' ;

selectCore
    : 'SELECT' ('DISTINCT' | 'ALL')? resultColumn (',' resultColumn)* from? where? groupBy? having?
      windows?
    | 'VALUES' rowValue (',' rowValue)*
    ;

rowValue : '(' expression (',' expression)* ')' ;

resultColumn : expression alias? | '*' | name '.' '*' ;

alias : 'AS' name | IDENTIFIER | STRING | unreserved ;

from : 'FROM' joinClause ;

joinClause : tableOrSubquery (joinOperator tableOrSubquery joinConstraint?)* ;

tableOrSubquery
    : qualifiedName alias? indexedBy?
    | qualifiedName '(' (expression (',' expression)*)? ')' alias?
    | '(' select ')' alias?
    | '(' joinClause ')' alias?
    ;

joinOperator
    : ','
    | 'NATURAL'? (('LEFT' | 'RIGHT' | 'FULL') 'OUTER'? | 'INNER' | 'CROSS')? 'JOIN'
    ;

joinConstraint : 'ON' expression | 'USING' '(' name (',' name)* ')' ;

groupBy : 'GROUP' 'BY' expression (',' expression)* ;

having : 'HAVING' expression ;

windows : 'WINDOW' windowDefinition (',' windowDefinition)* ;

windowDefinition : name 'AS' window ;

window : '(' windowName? ('PARTITION' 'BY' expression (',' expression)*)? orderBy? frame? ')' ;

windowName : IDENTIFIER | STRING | unreserved ;

frame
    : ('RANGE' | 'ROWS' | 'GROUPS')
      (frameBound | 'BETWEEN' frameBound 'AND' frameBound)
      ('EXCLUDE' ('NO' 'OTHERS' | 'CURRENT' 'ROW' | 'GROUP' | 'TIES'))?
    ;

frameBound
    : 'UNBOUNDED' ('PRECEDING' | 'FOLLOWING')
    | 'CURRENT' 'ROW'
    | expression ('PRECEDING' | 'FOLLOWING')
    ;

orderBy : 'ORDER' 'BY' orderingTerm (',' orderingTerm)* ;

orderingTerm : expression ('ASC' | 'DESC')? nulls? ;

nulls : 'NULLS' ('FIRST' | 'LAST') ;

limit : 'LIMIT' expression (('OFFSET' | ',') expression)? ;

// Expressions, in three layers, because the operands in the middle of BETWEEN and LIKE are values.

expression
    : predicate
    | 'NOT' expression
    | expression 'AND' expression
    | expression 'OR' expression
    ;

predicate : value condition* ;

condition
    : ('=' | '==' | '<>' | '!=') value
    | 'IS' 'NOT'? ('DISTINCT' 'FROM')? value
    | 'NOT'? ('LIKE' | 'GLOB' | 'REGEXP' | 'MATCH') value ('ESCAPE' value)?
    | 'NOT'? 'BETWEEN' value 'AND' value
    | 'NOT'? 'IN' inOperand
    | 'ISNULL'
    | 'NOTNULL'
    | 'NOT' 'NULL'
    ;

value
    : literal
    | PARAMETER
    | columnName
    | functionCall
    | '(' expression (',' expression)* ')'
    | 'EXISTS'? '(' select ')'
    | 'CAST' '(' expression 'AS' typeName? ')'
    | 'CASE' expression? whenThen+ ('ELSE' expression)? 'END'
    | 'RAISE' '(' ('IGNORE' | ('ROLLBACK' | 'ABORT' | 'FAIL') ',' expression) ')'
    | ('-' | '+' | '~') value
    | value 'COLLATE' name
    | value ('||' | '->' | '->>') value
    | value ('*' | '/' | '%') value
    | value ('+' | '-') value
    | value ('&' | '|' | '<<' | '>>') value
    | value ('<' | '<=' | '>' | '>=') value
    ;

whenThen : 'WHEN' expression 'THEN' expression ;

inOperand
    : '(' (expression (',' expression)*)? ')'
    | '(' select ')'
    | qualifiedName ('(' (expression (',' expression)*)? ')')?
    ;

columnName : identifier | name '.' name ('.' name)? ;

functionCall
    : functionName '(' functionArguments? ')' filter? over?
    ;

functionName : identifier | joinWord ;

functionArguments : ('DISTINCT' | 'ALL')? expression (',' expression)* orderBy? | '*' ;

filter : 'FILTER' '(' where ')' ;

over : 'OVER' (window | name) ;

literal
    : NUMBER | STRING | BLOB | 'NULL' | 'CURRENT_TIME' | 'CURRENT_DATE' | 'CURRENT_TIMESTAMP'
    ;

signedLiteral : ('+' | '-')? literal ;

signedNumber : ('+' | '-')? NUMBER ;

// Names. Most keywords may be names where nothing else could stand; `unreserved` are those that
// may be names where a name is optional, too.

qualifiedName : name ('.' name)? ;

name : identifier | STRING | joinWord | 'END' ;

joinWord : 'CROSS' | 'FULL' | 'INNER' | 'LEFT' | 'NATURAL' | 'OUTER' | 'RIGHT' ;

identifier
    : IDENTIFIER
    | unreserved
    | 'AFTER' | 'ANALYZE' | 'ASC' | 'ATTACH' | 'BEFORE' | 'BEGIN' | 'BY' | 'COLUMN' | 'CURRENT' | 'DATABASE'
    | 'DEFERRED' | 'DESC' | 'DETACH' | 'DO' | 'EXCLUDE' | 'EXPLAIN' | 'FILTER' | 'FOLLOWING' | 'FOR' | 'GENERATED'
    | 'GLOB' | 'GROUPS' | 'IMMEDIATE' | 'INDEXED' | 'INITIALLY' | 'INSTEAD' | 'LIKE' | 'MATCH'
    | 'MATERIALIZED' | 'NULLS' | 'OFFSET' | 'OVER' | 'PARTITION' | 'PRAGMA' | 'PRECEDING' | 'RANGE'
    | 'RECURSIVE' | 'REGEXP' | 'REINDEX' | 'RELEASE' | 'REPLACE' | 'ROLLBACK' | 'ROWS' | 'SAVEPOINT'
    | 'STORED' | 'UNBOUNDED' | 'VACUUM' | 'VIRTUAL' | 'WINDOW' | 'WITHOUT'
    ;

unreserved
    : 'ABORT' | 'ACTION' | 'ALWAYS' | 'CASCADE' | 'CONFLICT' | 'EACH' | 'EXCLUSIVE'
    | 'FAIL' | 'FIRST' | 'IF' | 'IGNORE' | 'KEY' | 'LAST' | 'NO' | 'OF' | 'OTHERS' | 'PLAN' | 'QUERY'
    | 'RENAME' | 'RESTRICT' | 'ROW' | 'TEMP' | 'TEMPORARY' | 'TIES' | 'TRIGGER' | 'VIEW'
    ;

IDENTIFIER
    : [a-z_\u0080-\uFEFE\uFF00-\u{10FFFF}] [a-z_0-9$\u0080-\u{10FFFF}]*
    | '"' (~["] | '""')* '"'
    | '`' (~[`] | '``')* '`'
    | '[' ~[\]]* ']'
    ;

STRING : '\'' (~['] | '\'\'')* '\'' ;

BLOB : 'x' '\'' ([0-9a-f] [0-9a-f])* '\'' ;

// Refused, so that it is not read as a name and a string.
BAD_BLOB : 'x' '\'' ~[']* '\'' ;

NUMBER : (DIGITS ('.' DIGITS?)? | '.' DIGITS) ('e' [+-]? [0-9]+)? | '0x' [0-9a-f]+ | RareNumber ;

// Refused, so that it is not read as a number and a name.
BAD_NUMBER : (DIGITS ('.' DIGITS?)? | '.' DIGITS) WORD ;

fragment DIGITS : [0-9]+ | RareDigits ;

// Since 3.46.
fragment RareDigits : [0-9]+ ('_' [0-9]+)+ ;

fragment RareNumber
    : (DIGITS ('.' DIGITS?)? | '.' DIGITS) 'e' [+-]? DIGITS
    | '0x' [0-9a-f]+ ('_' [0-9a-f]+)+
    ;

// ?, ?NNN, :name, @name, $name with its suffixes of Tcl
PARAMETER : '?' ([1-9] [0-9]?)? | RareParameter | [:@] WORD | '$' '::'? WORD ('::' WORD)* ('(' ~[ \t\r\n)]* ')')? ;

// From ?1 to ?32766.
fragment RareParameter : '?' [0-9]* ;

fragment WORD : [a-z_0-9$\u0080-\u{10FFFF}]+ ;

COMMENT : '--' ~[\r\n]* -> channel(HIDDEN) ;

// The last comment need not be closed.
BLOCK_COMMENT : '/*' .*? ('*/' | EOF) -> channel(HIDDEN) ;

WHITE_SPACE : [ \t\r\n\f]+ -> skip ;

BYTE_ORDER_MARK : '\uFEFF' -> skip ;
