"""Front ends that turn text into trees."""
