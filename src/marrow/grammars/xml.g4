// XML 1.0 (fifth edition) with its document type declarations, after the W3C recommendation; the
// names of the rules are the recommendation's, spelled out.
//
// Lexer modes stand in this one file (ANTLR would want the lexer in a file of its own): outside of
// tags everything is text, inside of tags and declarations there are names and quoted values. White
// space between tags is layout; that a start tag and its end tag have the same name is not syntax.

grammar xml;

document : prolog element miscellaneous* EOF ;

prolog : XML_DECLARATION? miscellaneous* (documentType miscellaneous*)? ;

miscellaneous : COMMENT | PROCESSING_INSTRUCTION ;

element
    : TAG_OPEN NAME attribute* TAG_CLOSE content* END_TAG_OPEN NAME TAG_CLOSE
    | TAG_OPEN NAME attribute* EMPTY_TAG_CLOSE
    ;

attribute : NAME EQUALS VALUE ;

content
    : TEXT
    | element
    | REFERENCE
    | CDATA_SECTION
    | PROCESSING_INSTRUCTION
    | COMMENT
    ;

// Document type declarations

documentType : DOCTYPE name externalIdentifier? internalSubset? DECLARATION_CLOSE ;

internalSubset : SUBSET_OPEN declaration* SUBSET_CLOSE ;

externalIdentifier : SYSTEM LITERAL | PUBLIC LITERAL LITERAL ;

declaration
    : elementDeclaration
    | attributeListDeclaration
    | entityDeclaration
    | notationDeclaration
    | parameterReference
    | DECLARED_INSTRUCTION
    | DECLARED_COMMENT
    ;

elementDeclaration : ELEMENT name contentSpecification DECLARATION_CLOSE ;

contentSpecification : EMPTY | ANY | mixed | children | parameterReference ;

mixed : PAREN_OPEN PCDATA (BAR name)* PAREN_CLOSE STAR? ;

children : (choice | sequence) occurrence? ;

choice : PAREN_OPEN particle (BAR particle)+ PAREN_CLOSE ;

sequence : PAREN_OPEN particle (COMMA particle)* PAREN_CLOSE ;

particle : (name | choice | sequence) occurrence? ;

occurrence : QUESTION | STAR | PLUS ;

attributeListDeclaration : ATTLIST name attributeDefinition* DECLARATION_CLOSE ;

attributeDefinition : name attributeType defaultDeclaration | parameterReference ;

attributeType
    : CDATA | ID | IDREF | IDREFS | ENTITY_TYPE | ENTITIES | NMTOKEN | NMTOKENS
    | NOTATION_TYPE? PAREN_OPEN (name | NAME_TOKEN) (BAR (name | NAME_TOKEN))* PAREN_CLOSE
    | parameterReference
    ;

defaultDeclaration : REQUIRED | IMPLIED | FIXED? LITERAL | parameterReference ;

entityDeclaration : ENTITY PERCENT? name entityDefinition DECLARATION_CLOSE ;

entityDefinition : LITERAL | externalIdentifier (NDATA name)? ;

notationDeclaration : NOTATION name (externalIdentifier | PUBLIC LITERAL) DECLARATION_CLOSE ;

parameterReference : PARAMETER_REFERENCE ;

// The words of declarations are not reserved.
name
    : DECLARED_NAME | SYSTEM | PUBLIC | EMPTY | ANY | CDATA | ID | IDREF | IDREFS | ENTITY_TYPE
    | ENTITIES | NMTOKEN | NMTOKENS | NOTATION_TYPE | NDATA
    ;

// Outside of tags

XML_DECLARATION
    : '<?xml version="1.0"' (SPACE 'encoding="' [uU] [tT] [fF] '-8"')? (SPACE 'standalone="' ('yes' | 'no') '"')? '?>'
    | RareDeclaration
    ;

fragment RareDeclaration : '<?xml' SPACE .*? '?>' ;

PROCESSING_INSTRUCTION : '<?' NAME_START NAME_CHARACTER* (SPACE .*?)? '?>' ;

COMMENT : '<!--' (~'-' | '-' ~'-')* '-->' ;

CDATA_SECTION : '<![CDATA[' .*? ']]>' ;

DOCTYPE : '<!DOCTYPE' -> pushMode(DECLARATION) ;

END_TAG_OPEN : '</' -> pushMode(TAG_NAME) ;

TAG_OPEN : '<' -> pushMode(TAG_NAME) ;

REFERENCE
    : '&' ('amp' | 'lt' | 'gt' | 'quot' | 'apos') ';'
    | '&#' ('3' [2-9] | [4-9] [0-9]) ';'
    | '&#x' [2-7] [0-9a-fA-F] ';'
    | RareReference
    ;

// Entities that must be declared, and numbers that need not be characters.
fragment RareReference : '&' NAME_START NAME_CHARACTER* ';' | '&#' [0-9]+ ';' | '&#x' [0-9a-fA-F]+ ';' ;

WHITE_SPACE : SPACE+ -> channel(HIDDEN) ;

BYTE_ORDER_MARK : '\uFEFF' -> channel(HIDDEN) ;

TEXT : ~[<&]+ ;

fragment SPACE : [ \t\r\n] ;

fragment NAME_START
    : [A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D]
    | [\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}]
    | RareColon
    ;

// Between a prefix, which must be declared, and a name.
fragment RareColon : ':' ;

fragment NAME_CHARACTER : NAME_START | [\-.0-9\u00B7\u0300-\u036F\u203F-\u2040] ;

// The name follows at once
mode TAG_NAME;

NAME : NAME_START NAME_CHARACTER* -> mode(TAG) ;

mode TAG;

ATTRIBUTE_NAME : NAME_START NAME_CHARACTER* -> type(NAME) ;

EQUALS : '=' ;

VALUE : '"' ~[<"&]* '"' | '\'' ~[<'&]* '\'' | RareValue ;

// With references.
fragment RareValue : '"' ~[<"]* '"' | '\'' ~[<']* '\'' ;

EMPTY_TAG_CLOSE : '/>' -> popMode ;

TAG_CLOSE : '>' -> popMode ;

TAG_SPACE : SPACE+ -> channel(HIDDEN) ;

// Inside of <!DOCTYPE ...>, and once more inside of each declaration there
mode DECLARATION;

DECLARATION_SPACE : SPACE+ -> channel(HIDDEN) ;

ELEMENT : '<!ELEMENT' -> pushMode(DECLARATION) ;

ATTLIST : '<!ATTLIST' -> pushMode(DECLARATION) ;

ENTITY : '<!ENTITY' -> pushMode(DECLARATION) ;

NOTATION : '<!NOTATION' -> pushMode(DECLARATION) ;

DECLARED_INSTRUCTION : '<?' NAME_START NAME_CHARACTER* (SPACE .*?)? '?>' ;

DECLARED_COMMENT : '<!--' (~'-' | '-' ~'-')* '-->' ;

DECLARATION_CLOSE : '>' -> popMode ;

SUBSET_OPEN : '[' ;

SUBSET_CLOSE : ']' ;

PAREN_OPEN : '(' ;

PAREN_CLOSE : ')' ;

BAR : '|' ;

COMMA : ',' ;

QUESTION : '?' ;

STAR : '*' ;

PLUS : '+' ;

PERCENT : '%' ;

PARAMETER_REFERENCE : '%' NAME_START NAME_CHARACTER* ';' ;

PCDATA : '#PCDATA' ;

REQUIRED : '#REQUIRED' ;

IMPLIED : '#IMPLIED' ;

FIXED : '#FIXED' ;

SYSTEM : 'SYSTEM' ;

PUBLIC : 'PUBLIC' ;

EMPTY : 'EMPTY' ;

ANY : 'ANY' ;

CDATA : 'CDATA' ;

ID : 'ID' ;

IDREF : 'IDREF' ;

IDREFS : 'IDREFS' ;

ENTITY_TYPE : 'ENTITY' ;

ENTITIES : 'ENTITIES' ;

NMTOKEN : 'NMTOKEN' ;

NMTOKENS : 'NMTOKENS' ;

NOTATION_TYPE : 'NOTATION' ;

NDATA : 'NDATA' ;

LITERAL : '"' ~["%&]* '"' | '\'' ~['%&]* '\'' | RareLiteral ;

// With references.
fragment RareLiteral : '"' ~["]* '"' | '\'' ~[']* '\'' ;

DECLARED_NAME : NAME_START NAME_CHARACTER* ;

NAME_TOKEN : NAME_CHARACTER+ ;
