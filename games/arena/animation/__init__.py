"""How are the arena's characters animated: skeletons, walking, blending?"""
