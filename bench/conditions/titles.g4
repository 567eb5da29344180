// Paragraphs and titles that are underlined.
grammar titles;
document : block* EOF ;
block : title | line | '\n' ;
title : words '\n' under '\n' ;
line : words '\n' ;
words : letter (letter | ' ')* ;
under : '='+ ;
letter : 'a' | 'b' | 'c' | 'd' ;
