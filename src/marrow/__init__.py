"""marrow cuts a failing input down to the part that matters."""
