"""Keys of the blackboard that every agent has, beside those of its formats and its own."""

from ...games.tree_body_interface import TreeValue

WAY = "way"
BUILT_IN: dict[str, TreeValue] = {
    "tick": 0,
    "time": 0.0,
    "still": 0.0,
    WAY: "none",
    "way_bearing": 0.0,
    "way_heading": 0.0,
    "way_distance": 0.0,
    "goal_distance": 0.0,
}
"""The built-in keys, with their values before the first tick.

- `tick` counts from 1; `time` is in seconds since the agent began.
- `still`: seconds since the body got away from where it is.
- `way`: what is known of the way to the goal that was asked for last: `none`, `pending`, `found`,
  `unreachable` or `lost` (the search took too long).
- `way_bearing` and `way_heading`: where the next point of the way lies, as an angle off the body's
  front and as one of the world; `way_distance` is how far away it is.
- `goal_distance`: how far away the goal is, straight.
"""
