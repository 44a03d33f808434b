"""Values and decides: prices, cost, fits, replay, effect."""
