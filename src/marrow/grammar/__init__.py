"""Grammars: model, readers, Perses Normal Form, parser, random generation."""
