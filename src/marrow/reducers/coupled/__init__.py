"""Things that go together: a part of a program with all that only makes sense beside it."""
