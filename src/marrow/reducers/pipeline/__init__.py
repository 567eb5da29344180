"""The pipeline: stages, and the tables that name algorithms and passes."""
