"""The names of the agent's states."""

MOVE = "move_checkpoint"
MESSAGE = "message_skip"
REPLAY = "pad_replay"
UNLIMITED = "unlimited_pad_replay"
COLLECT = "collect_item"
ENEMY = "enemy_battle"
BOSS = "boss_battle"
BACK = "back_to_demoroute"
DETOUR = "detour"

STATES = (MOVE, MESSAGE, REPLAY, UNLIMITED, COLLECT, ENEMY, BOSS, BACK, DETOUR)
"""The watched value `replay.state` is an index into this: new ones come last, and states of one's
own after them."""
