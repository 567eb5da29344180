"""Checks of grammars."""
