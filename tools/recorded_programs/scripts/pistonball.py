from pettingzoo.butterfly import pistonball_v6

env = pistonball_v6.parallel_env()
observations, _ = env.reset(seed=7)
for agent in env.agents:
    env.action_space(agent).seed(7)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, *_ = env.step(actions)
print(rewards)
env.close()
