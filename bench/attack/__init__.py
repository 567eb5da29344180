"""Attacks on marrow: hostile situations in one table, and whether each ends as it must."""
