"""One benchmark for each promise about speed; `python -m benchmarks.run` measures them all."""
