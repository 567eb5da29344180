// A message with the length of what it carries, and padding.
grammar heartbeat;
message : kind ' ' length ' ' payload ' ' padding EOF ;
kind : 'beat' | 'end' ;
length : digit+ ;
payload : letter+ ;
padding : letter+ ;
letter : 'a' | 'b' | 'c' | 'd' ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
