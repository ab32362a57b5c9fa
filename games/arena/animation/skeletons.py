"""The arena's skeletons as they are recorded: names and parents of joints, latched once each."""

from ....handlers.skeletal_pose_handler import Skeleton
from .walk_animation import BODY_JOINTS, HANDS, HUMAN

BODIES = {
    count: Skeleton(f"human of {count} joints", HUMAN.names[:count], HUMAN.parents[:count])
    for count in range(BODY_JOINTS, len(HUMAN.names) + 1)
}
"""A person by how many joints it has: guards carry things."""

ARM = Skeleton("arm", HANDS.names, HANDS.parents)
