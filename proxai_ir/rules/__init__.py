"""The catalogue of rules, the notation of target tables, and the matrix drawn from them."""
