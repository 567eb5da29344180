"""The tables and figures of the four papers on our cases, in their settings and in marrow's own."""
