"""How people of the arena are posed: skeletons, the walk, and the tree that blends them."""
