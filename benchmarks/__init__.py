"""Speed as ratios: to peers, and to bare MuJoCo, in the same run. `make bench` runs all of them."""
