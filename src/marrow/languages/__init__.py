"""What marrow knows about languages: one TOML file for each, and the code that reads them."""
