// A language of URLs that is one rule a line: numbers are made of digits, one by one.
grammar url;
url : ('http' | 'ftp') '://' host (':' port)? path EOF ;
host : letter+ ('.' letter+)* ;
port : digit+ ;
path : ('/' letter*)* ;
letter : 'a' | 'b' | 'c' | 'd' ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
