"""The findings of a conversion: rules and places, as diagnostics, and summed up for readers."""
