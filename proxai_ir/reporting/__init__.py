"""What a conversion found: rules and places, as messages, and summed up for readers."""
