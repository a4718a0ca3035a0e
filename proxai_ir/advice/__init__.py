"""Remedies: what a caller can change about a conversion to remove a finding; found by trial, never listed by hand."""
