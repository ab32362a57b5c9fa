"""Who plays an adventure by a script: the hands on the pad and the way on foot."""
