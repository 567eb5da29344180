"""DDSET: from one failing input to the pattern of all inputs that fail in the same way."""
