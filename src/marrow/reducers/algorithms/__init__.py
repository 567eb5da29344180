"""The published algorithms, one module each, and what they share."""
