"""The parts of random generation."""
