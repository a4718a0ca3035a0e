"""What every backend needs to write JSON."""
