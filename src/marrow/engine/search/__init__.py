"""The search: which attempts are tested next, and which one is committed."""
