"""Which values there are: numbers, categories, and the columns behind them."""
