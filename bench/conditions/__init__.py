"""Failures with a known exact condition, and how well the pattern of one input tells them."""
