"""What a caller can change about a conversion so that a finding goes away: found by trial, never listed (LOS-6)."""
