"""Tests of the gateway and what it keeps; they need the extra `serve`."""
