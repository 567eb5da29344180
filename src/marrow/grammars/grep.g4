// The command line of GNU grep (3.8), after its manual page; one command as it is typed into a shell, with
// the variables, the input and the output that bug reports give with it.
//
// Lexer modes stand in this one file (ANTLR would want the lexer in a file of its own): a word in quotes
// is taken apart as a regular expression, any other word is a token.

grammar grep;

command : producer? ASSIGNMENT* ('grep' | 'egrep' | 'fgrep') argument* redirection* EOF ;

// What writes the input.
producer : ('echo' | 'printf') (FLAGS | argumentWord)* PIPE ;

redirection : ('<' | '>' | '2>' | '>>' | '<<<') argumentWord ;

// Options may stand anywhere; the first other argument is the pattern if there is none in an option.
argument : option | '--' | '-' | argumentWord ;

option
    : FLAGS
    | CONTEXT
    | NUMBER_OPTION NUMBER
    | NUMBER_OPTION_ATTACHED
    | PATTERN_OPTION argumentWord
    | PATTERN_OPTION_ATTACHED
    | FILE_OPTION argumentWord
    | FILE_OPTION_ATTACHED
    | DIRECTORIES_OPTION action
    | DIRECTORIES_OPTION_ATTACHED
    | LONG_FLAG
    | LONG_NUMBER NUMBER
    | LONG_NUMBER_IS NUMBER
    | LONG_WORD argumentWord
    | LONG_WORD_IS argumentWord
    | LONG_ACTION action
    | LONG_ACTION_IS action
    | '--binary-files=' ('binary' | 'text' | 'without-match')
    | '--binary-files' ('binary' | 'text' | 'without-match')
    | ('--color' | '--colour')
    | ('--color=' | '--colour=') ('always' | 'never' | 'auto')
    ;

action : 'read' | 'recurse' | 'skip' ;

argumentWord
    : WORD
    | NUMBER
    | ASSIGNMENT
    | SINGLE_OPEN (regularExpression | text) SINGLE_CLOSE
    | DOUBLE_OPEN (regularExpression | text) DOUBLE_CLOSE
    | 'grep' | 'egrep' | 'fgrep' | 'echo' | 'printf' | 'binary' | 'text' | 'without-match' | 'always'
    | 'never' | 'auto' | action
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

FLAGS : '-' (FLAG | [EFGP]) FLAG* ;

fragment FLAG : [iywxzsvVbnHhoqaIrRLlcTZUu] | RareMatcher ;

// Only one of these.
fragment RareMatcher : [EFGP] ;

CONTEXT : '-' FLAG* [0-9]+ FLAG* ;

NUMBER_OPTION : '-' FLAG* [mABC] ;

NUMBER_OPTION_ATTACHED : '-' FLAG* [mABC] [0-9]+ ;

PATTERN_OPTION : '-' FLAG* 'e' ;

PATTERN_OPTION_ATTACHED : '-' FLAG* 'e' (PLAIN WORD_PART* | RarePart) ;

// Nothing in quotes is no part of a word.
fragment RarePart : WORD_PART+ ;

FILE_OPTION : '-' FLAG* 'f' ;

FILE_OPTION_ATTACHED : '-' FLAG* 'f' (PLAIN WORD_PART* | RarePart) ;

DIRECTORIES_OPTION : '-' FLAG* [dD] ;

DIRECTORIES_OPTION_ATTACHED : '-' FLAG* ([dD] ('read' | 'skip') | 'drecurse' | RareDevices) ;

// Devices are not directories.
fragment RareDevices : 'Drecurse' ;

LONG_FLAG
    : '--'
    ( 'extended-regexp' | 'fixed-strings' | 'basic-regexp' | 'perl-regexp' | 'ignore-case'
    | 'no-ignore-case' | 'word-regexp' | 'line-regexp' | 'null-data' | 'no-messages' | 'invert-match'
    | 'version' | 'help' | 'byte-offset' | 'line-number' | 'line-buffered' | 'with-filename'
    | 'no-filename' | 'only-matching' | 'quiet' | 'silent' | 'text' | 'recursive'
    | 'dereference-recursive' | 'files-without-match' | 'files-with-matches' | 'count' | 'initial-tab'
    | 'null' | 'no-group-separator' | 'binary'
    )
    ;

LONG_NUMBER : '--' NUMBER_NAME ;

LONG_NUMBER_IS : '--' NUMBER_NAME '=' -> pushMode(VALUES) ;

fragment NUMBER_NAME : 'max-count' | 'before-context' | 'after-context' | 'context' ;

LONG_WORD : '--' WORD_NAME ;

LONG_WORD_IS : '--' WORD_NAME '=' -> pushMode(VALUES) ;

fragment WORD_NAME
    : 'regexp' | 'file' | 'label' | 'include' | 'exclude' | 'exclude-from' | 'exclude-dir'
    | 'group-separator'
    ;

LONG_ACTION : '--directories' | '--devices' ;

LONG_ACTION_IS : '--directories=' | '--devices=' ;

// An option that grep does not have.
UNKNOWN : '--' [a-zA-Z0-9-]+ | '-' (~[ \t\r\n'"\\|&;<>()-] | '\\' . | QUOTED) WORD_PART* ;

PIPE : '|' ;

NUMBER : [0-9]+ ;

ASSIGNMENT : [A-Za-z_] [A-Za-z_0-9]* '=' WORD_PART* ;

// Quotes in a word, or before more of it, are part of the token.
WORD : (~[ \t\r\n'"\\|&;<>()-] | '\\' .) WORD_PART* | QUOTED WORD_PART+ ;

SINGLE_OPEN : '\'' -> pushMode(SINGLE_REGEX) ;

DOUBLE_OPEN : '"' -> pushMode(DOUBLE_REGEX) ;

// A word of the shell: it goes on after quotes and backslashes.
fragment WORD_PART : PLAIN | '\\' . | QUOTED ;

fragment PLAIN : ~[ \t\r\n'"\\|&;<>()] ;

fragment QUOTED : '\'' ~[']* '\'' | '"' (~["\\] | '\\' .)* '"' ;

SPACE : ([ \t\r\n] | '\\' '\r'? '\n')+ -> skip ;

// What follows an equals sign at once
mode VALUES;

VALUE_NUMBER : [0-9]+ -> type(NUMBER), popMode ;

VALUE_SINGLE_OPEN : '\'' -> type(SINGLE_OPEN), mode(SINGLE_REGEX) ;

VALUE_DOUBLE_OPEN : '"' -> type(DOUBLE_OPEN), mode(DOUBLE_REGEX) ;

VALUE_WORD : ((PLAIN | '\\' .) WORD_PART* | QUOTED WORD_PART+) -> type(WORD), popMode ;

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
