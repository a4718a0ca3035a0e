"""The tables and builders that Google's protocols share."""
