// The command line of GNU find (4.9), after its manual page; one command as it is typed into a shell.
//
// Lexer modes stand in this one file (ANTLR would want the lexer in a file of its own): what may follow
// a test depends on the test. A pattern or format in quotes is taken apart, any other word is a token.

grammar find;

command : ASSIGNMENT* 'find' ('-H' | '-L' | '-P')* (DEBUG WORD)? OPTIMISATION? path* expression? EOF ;

path : WORD | ASSIGNMENT | 'find' ;

// Operators, those that bind least first

expression : disjunction (',' disjunction)* ;

disjunction : conjunction (('-o' | '-or') conjunction)* ;

conjunction : juxtaposition (('-a' | '-and') juxtaposition)* ;

juxtaposition : factor+ ;

factor : ('!' | '\\!' | '-not')* primary ;

primary : PAREN_OPEN expression PAREN_CLOSE | option | test | action ;

option
    : '-daystart' | '-follow' | '-nowarn' | '-warn' | '-depth' | '-d' | '-mount' | '-xdev' | '-noleaf'
    | '-ignore_readdir_race' | '-noignore_readdir_race' | '--help' | '-help' | '--version' | '-version'
    | DEPTH_OPTION NUMBER
    | WORD_OPTION WORD
    ;

test
    : '-empty' | '-false' | '-true' | '-nouser' | '-nogroup' | '-readable' | '-writable' | '-executable'
    | NUMBER_TEST NUMBER
    | SIZE_TEST SIZE
    | TYPE_TEST TYPES
    | PERMISSION_TEST MODE
    | WORD_TEST WORD
    | PATTERN_TEST (WORD | pattern)
    | REGEX_TEST (WORD | quotedRegularExpression)
    ;

action
    : '-delete' | '-print' | '-print0' | '-ls' | '-prune' | '-quit'
    | WORD_ACTION WORD
    | FORMAT_ACTION (WORD | format)
    | FILE_FORMAT_ACTION WORD (WORD | format)
    | EXECUTE executed+ (SEMICOLON | PLACEHOLDER_PLUS)
    ;

executed : ARGUMENT | PLACEHOLDER ;

pattern
    : PATTERN_SINGLE_OPEN patternPart* PATTERN_SINGLE_CLOSE
    | PATTERN_DOUBLE_OPEN patternPart* PATTERN_DOUBLE_CLOSE
    ;

patternPart : PATTERN_STAR | PATTERN_ANY | PATTERN_SET | PATTERN_CHARACTER ;

format
    : FORMAT_SINGLE_OPEN formatPart* FORMAT_SINGLE_CLOSE
    | FORMAT_DOUBLE_OPEN formatPart* FORMAT_DOUBLE_CLOSE
    ;

formatPart : DIRECTIVE | FORMAT_ESCAPE | FORMAT_CHARACTER ;

quotedRegularExpression
    : SINGLE_OPEN (regularExpression | text) SINGLE_CLOSE
    | DOUBLE_OPEN (regularExpression | text) DOUBLE_CLOSE
    ;

// A regular expression: basic, extended or Perl's, which differ in what needs a backslash.

regularExpression : branch ((BAR | ESCAPED_BAR) branch)* ;

branch : piece* ;

piece : atom QUANTIFIER* ;

atom
    : CHARACTER
    | ANY
    | ANCHOR
    | ESCAPED
    | BRACKET
    | GROUP_OPEN regularExpression GROUP_CLOSE
    | ESCAPED_OPEN regularExpression ESCAPED_CLOSE
    ;

// What is no regular expression, or not in all notations: a fixed string, a lone parenthesis.
text
    : ( CHARACTER | ANY | ANCHOR | ESCAPED | BRACKET | QUANTIFIER | BAR | ESCAPED_BAR | GROUP_OPEN
      | GROUP_CLOSE | ESCAPED_OPEN | ESCAPED_CLOSE
      )+
    ;

// Words

DEBUG : '-D' -> pushMode(ARGUMENTS) ;

OPTIMISATION : '-O' [0-9] ;

PAREN_OPEN : '\\(' | '\'(\'' | '"("' ;

PAREN_CLOSE : '\\)' | '\')\'' | '")"' ;

DEPTH_OPTION : ('-maxdepth' | '-mindepth') -> pushMode(NUMBERS) ;

WORD_OPTION : ('-regextype' | '-files0-from') -> pushMode(ARGUMENTS) ;

NUMBER_TEST
    : '-' ([acm] 'min' | [acm] 'time' | 'gid' | 'inum' | 'links' | 'uid' | 'used') -> pushMode(NUMBERS)
    ;

SIZE_TEST : '-size' -> pushMode(SIZES) ;

TYPE_TEST : ('-type' | '-xtype') -> pushMode(FILE_TYPES) ;

PERMISSION_TEST : '-perm' -> pushMode(PERMISSIONS) ;

WORD_TEST
    : ( '-newer' | '-anewer' | '-cnewer' | '-newer' [aBcm] [aBcmt] | '-samefile' | '-user' | '-group'
      | '-fstype' | '-context'
      ) -> pushMode(ARGUMENTS)
    ;

PATTERN_TEST
    : '-' 'i'? ('name' | 'path' | 'wholename' | 'lname') -> pushMode(PATTERNS)
    ;

REGEX_TEST : '-' 'i'? 'regex' -> pushMode(REGEXES) ;

WORD_ACTION : ('-fprint' | '-fprint0' | '-fls') -> pushMode(ARGUMENTS) ;

FORMAT_ACTION : '-printf' -> pushMode(FORMATS) ;

FILE_FORMAT_ACTION : '-fprintf' -> pushMode(FORMATS), pushMode(ARGUMENTS) ;

EXECUTE : ('-exec' | '-execdir' | '-ok' | '-okdir') -> pushMode(COMMANDS) ;

ASSIGNMENT : [A-Za-z_] [A-Za-z_0-9]* '=' WORD_PART* ;

WORD : (~[ \t\r\n'"\\|&;<>()!,-] | '\\' ~[()!\r\n] | QUOTED) WORD_PART* ;

// A word that begins like a test and is none.
UNKNOWN : '-' WORD_PART* ;

// A word of the shell: it goes on after quotes and backslashes.
fragment WORD_PART : PLAIN | '\\' . | QUOTED ;

fragment PLAIN : ~[ \t\r\n'"\\|&;<>()] ;

fragment QUOTED : '\'' ~[']* '\'' | '"' (~["\\] | '\\' .)* '"' ;

SPACE : (BLANK | '\\' '\r'? '\n')+ -> skip ;

fragment BLANK : [ \t\r\n] ;

mode ARGUMENTS;

ARGUMENT_WORD : WORD_PART+ -> type(WORD), popMode ;

ARGUMENT_SPACE : BLANK+ -> skip ;

mode NUMBERS;

NUMBER : [+-]? ([0-9]+ ('.' [0-9]*)? | '.' [0-9]+) -> popMode ;

NUMBER_SPACE : BLANK+ -> skip ;

mode SIZES;

SIZE : [+-]? [0-9]+ [bcwkMG]? -> popMode ;

SIZE_SPACE : BLANK+ -> skip ;

mode FILE_TYPES;

TYPES : ([bcdpfls] | 'f,' [bcdpls] | 'd,' [bcpls] | RareTypes) -> popMode ;

// None twice; doors are known to one system only.
fragment RareTypes : [bcdpflsD] (',' [bcdpflsD])* ;

TYPE_SPACE : BLANK+ -> skip ;

mode PERMISSIONS;

MODE : ([-/]? ([0-7] [0-7]? [0-7]? | WHO [-+=] [rwxXst]* (',' WHO [-+=] [ugo])?) | RareMode) -> popMode ;

fragment WHO : [ugoa] [ugo]? ;

// Numbers with too many digits, and clauses for nobody that begin with a minus.
fragment RareMode : [-/]? ([0-7]+ | CLAUSE (',' CLAUSE)*) ;

fragment CLAUSE : [ugoa]* ([-+=] ([rwxXst]* | [ugo]))+ ;

PERMISSION_SPACE : BLANK+ -> skip ;

mode COMMANDS;

SEMICOLON : (';' | '\\;' | '\';\'' | '";"') -> popMode ;

PLACEHOLDER_PLUS : '{}' BLANK+ '+' -> popMode ;

PLACEHOLDER : '{}' ;

ARGUMENT : WORD_PART+ ;

COMMAND_SPACE : BLANK+ -> skip ;

mode PATTERNS;

PATTERN_SINGLE_OPEN : '\'' -> mode(SINGLE_PATTERN) ;

PATTERN_DOUBLE_OPEN : '"' -> mode(DOUBLE_PATTERN) ;

// In quotes only in part: one token.
PATTERN_WORD : ((PLAIN | '\\' .) WORD_PART* | QUOTED WORD_PART+) -> type(WORD), popMode ;

PATTERN_SPACE : BLANK+ -> skip ;

mode SINGLE_PATTERN;

PATTERN_SINGLE_CLOSE : '\'' -> popMode ;

PATTERN_STAR : '*' ;

PATTERN_ANY : '?' ;

PATTERN_SET : '[' [!^]? ']'? (SET_PART | ~[\]'"/])* ']' ;

PATTERN_CHARACTER : '\\' ~['] | ~[\\'] ;

mode DOUBLE_PATTERN;

PATTERN_DOUBLE_CLOSE : '"' -> popMode ;

DOUBLE_PATTERN_STAR : '*' -> type(PATTERN_STAR) ;

DOUBLE_PATTERN_ANY : '?' -> type(PATTERN_ANY) ;

DOUBLE_PATTERN_SET : '[' [!^]? ']'? (SET_PART | ~[\]'"/])* ']' -> type(PATTERN_SET) ;

DOUBLE_PATTERN_CHARACTER : ('\\' . | ~[\\"]) -> type(PATTERN_CHARACTER) ;

mode FORMATS;

FORMAT_SINGLE_OPEN : '\'' -> mode(SINGLE_FORMAT) ;

FORMAT_DOUBLE_OPEN : '"' -> mode(DOUBLE_FORMAT) ;

FORMAT_WORD : ((PLAIN | '\\' .) WORD_PART* | QUOTED WORD_PART+) -> type(WORD), popMode ;

FORMAT_SPACE : BLANK+ -> skip ;

mode SINGLE_FORMAT;

FORMAT_SINGLE_CLOSE : '\'' -> popMode ;

DIRECTIVE : '%' [-+ 0#]* [0-9]* ('.' [0-9]+)? ([abcdDfFgGhHiklmMnpPsStuUyYZ%] | [ABCT] [a-zA-Z@+]) ;

FORMAT_ESCAPE : '\\' ([abcfnrtv\\] | [0-7] ([0-7] [0-7]?)?) ;

FORMAT_CHARACTER : ~['%] | RarePercent ;

// Begins a directive.
fragment RarePercent : '%' ;

mode DOUBLE_FORMAT;

FORMAT_DOUBLE_CLOSE : '"' -> popMode ;

DOUBLE_DIRECTIVE
    : '%' [-+ 0#]* [0-9]* ('.' [0-9]+)? ([abcdDfFgGhHiklmMnpPsStuUyYZ%] | [ABCT] [a-zA-Z@+]) -> type(DIRECTIVE)
    ;

DOUBLE_FORMAT_ESCAPE
    : '\\' ([abcfnrtv\\"] | [0-7] ([0-7] [0-7]?)?) -> type(FORMAT_ESCAPE)
    ;

DOUBLE_FORMAT_CHARACTER : (~["%] | RarePercent) -> type(FORMAT_CHARACTER) ;

mode REGEXES;

SINGLE_OPEN : '\'' -> mode(SINGLE_REGEX) ;

DOUBLE_OPEN : '"' -> mode(DOUBLE_REGEX) ;

REGEX_WORD : ((PLAIN | '\\' .) WORD_PART* | QUOTED WORD_PART+) -> type(WORD), popMode ;

REGEX_SPACE : BLANK+ -> skip ;

fragment QUANTIFIERS : '\\'? [*+?] | '{' COUNTS '}' | '\\{' COUNTS '\\}' ;

fragment COUNTS : [0-9] | [0-9] ',' | [0-9] ',' '1' [0-9] | ',' [0-9] | RareCounts ;

// More than most matchers bear, or the larger number in front.
fragment RareCounts : [0-9]+ (',' [0-9]*)? | ',' [0-9]+ ;

fragment SET_PART : '[:' CLASS ':]' | 'a-z' | '0-9' | [a-zA-Z0-9_ ,:;<>=] | RareSetPart ;

fragment CLASS : 'alpha' | 'digit' | 'alnum' | 'upper' | 'lower' | 'space' | 'punct' | 'xdigit' ;

// Other classes, and what sorts as one or the same: hardly ever known.
fragment RareSetPart : '[:' [a-z]+ ':]' | '[.' ~[.'"]+ '.]' | '[=' ~[='"]+ '=]' ;

mode SINGLE_REGEX;

SINGLE_CLOSE : '\'' -> popMode ;

QUANTIFIER : QUANTIFIERS ;

ANY : '.' ;

ANCHOR : ([$^] | '\\' [<>bB`]) ;

GROUP_OPEN : '(' ;

GROUP_CLOSE : ')' ;

BAR : '|' ;

ESCAPED_OPEN : '\\(' ;

ESCAPED_CLOSE : '\\)' ;

ESCAPED_BAR : '\\|' ;

BRACKET : '[' '^'? ']'? SET_PART SET_PART* ']' | RareBracket ;

// Ranges that end before they begin, and sets of nothing.
fragment RareBracket : '[' '^'? ']'? (RareSetPart | ~[\]'])* ']' ;

ESCAPED : '\\' [.*^$[\]\\wWsS/-] | RareEscaped ;

// References to groups that there must be, and letters that mean nothing.
fragment RareEscaped : '\\' ~[\r\n'] ;

CHARACTER : ~[\\'[] | RareOpen ;

// Begins a set that must end.
fragment RareOpen : '[' ;

mode DOUBLE_REGEX;

DOUBLE_CLOSE : '"' -> popMode ;

DOUBLE_QUANTIFIER : QUANTIFIERS -> type(QUANTIFIER) ;

DOUBLE_ANY : '.' -> type(ANY) ;

DOUBLE_ANCHOR : ([$^] | '\\' [<>bB`]) -> type(ANCHOR) ;

DOUBLE_GROUP_OPEN : '(' -> type(GROUP_OPEN) ;

DOUBLE_GROUP_CLOSE : ')' -> type(GROUP_CLOSE) ;

DOUBLE_BAR : '|' -> type(BAR) ;

DOUBLE_ESCAPED_OPEN : '\\(' -> type(ESCAPED_OPEN) ;

DOUBLE_ESCAPED_CLOSE : '\\)' -> type(ESCAPED_CLOSE) ;

DOUBLE_ESCAPED_BAR : '\\|' -> type(ESCAPED_BAR) ;

DOUBLE_BRACKET : ('[' '^'? ']'? SET_PART SET_PART* ']' | RareDoubleBracket) -> type(BRACKET) ;

fragment RareDoubleBracket : '[' '^'? ']'? (RareSetPart | ~[\]"])* ']' ;

DOUBLE_ESCAPED : ('\\' [.*^$[\]\\wWsS/-] | RareDoubleEscaped) -> type(ESCAPED) ;

fragment RareDoubleEscaped : '\\' ~[\r\n] ;

DOUBLE_CHARACTER : (~[\\"[] | RareOpen) -> type(CHARACTER) ;
