"""`proxai-ir run`: what a client is told, the program in the foreground, and the gateway beside it."""
