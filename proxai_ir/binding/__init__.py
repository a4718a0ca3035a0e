"""What a conversion is bound to before its payload comes: protocols, servers, options, directions."""
