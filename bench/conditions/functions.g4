// Products of functions of a number.
grammar functions;
product : call ('*' call)* EOF ;
call : function '(' number ')' ;
function : 'sqrt' | 'sin' | 'cos' | 'tan' ;
number : '-'? digit+ ('.' digit+)? ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
