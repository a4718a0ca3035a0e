"""One conversion: its options, profiles, and directions, what it results in, and the way back to the own protocol."""
