from pettingzoo.classic import connect_four_v3

env = connect_four_v3.env()
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, _ = env.last()
    if termination or truncation:
        env.step(None)
        continue
    env.action_space(agent).seed(len(observation["observation"]))
    env.step(env.action_space(agent).sample(observation["action_mask"]))
print(observation["observation"].sum(), reward)
env.close()
