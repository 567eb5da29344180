"""The grammars that ship with marrow."""
