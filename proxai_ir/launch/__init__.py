"""The command `proxai-ir run`: a client on another vendor's model, with a gateway as long as the client runs."""
