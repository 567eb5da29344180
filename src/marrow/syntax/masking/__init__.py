"""What parsers trip over, hidden from them: masks, and the parser that uses them."""
