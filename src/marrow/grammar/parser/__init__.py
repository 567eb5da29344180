"""The parser engine: lexer, tables, graph-structured stack, trees."""
