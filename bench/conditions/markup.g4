// Text between tags that may have attributes.
grammar markup;
page : (element | char)* EOF ;
element : '<' name attribute* '>' (element | char)* '</' name '>' ;
attribute : ' ' name '="' LETTER* '"' ;
name : LETTER+ ;
char : LETTER | ' ' | '"' ;
LETTER : [a-z] ;
