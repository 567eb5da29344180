"""The command line: one module a command; nothing else prints."""
