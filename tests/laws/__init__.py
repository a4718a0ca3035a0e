"""Laws that hold whatever is rebuilt behind them, each over generated or tabled cases; they know public names only."""
