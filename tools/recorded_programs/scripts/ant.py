import gymnasium

env = gymnasium.make("Ant-v5")
env.action_space.seed(7)
observation, _ = env.reset(seed=7)
for _ in range(200):
    observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        observation, _ = env.reset()
print(observation, reward)
env.close()
