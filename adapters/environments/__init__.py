"""How are learning environments of Gymnasium, PettingZoo and stable-baselines3 recorded?"""
