// Three numbers.
grammar triples;
triple : number ',' number ',' number EOF ;
number : DIGIT+ ;
DIGIT : [0-9] ;
