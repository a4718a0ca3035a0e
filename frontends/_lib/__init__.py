"""What every frontend needs to read JSON."""
