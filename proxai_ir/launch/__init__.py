"""A client of a model on another vendor's model, in one command: `proxai-ir run`. The gateway runs beside it."""
