"""What the tables and builders of Google's protocols share."""
