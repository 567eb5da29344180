"""First runs: `marrow reduce FILE -- COMMAND {}`, real tools, no option; judged by a rule."""
