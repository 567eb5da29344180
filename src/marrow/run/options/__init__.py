"""Every option of every command, declared once, and the configuration file."""
