"""Tools that make parts of the repository: tables of the docs, man pages, the site, a release."""
