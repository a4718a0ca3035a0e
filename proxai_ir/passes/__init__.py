"""What happens between reading and writing; pipeline.py has the order."""
