"""What parsers trip over, hidden from them: masks, implied types, and the parser that uses both."""
