"""What may be said where: the catalogue of rules, the notation of target tables, and the matrix drawn from them."""
