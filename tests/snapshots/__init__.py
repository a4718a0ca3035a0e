"""The examples of every protocol, in the IR and in the other protocols, line by line."""
