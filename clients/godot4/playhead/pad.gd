# What a player holds in one step.
extends RefCounted

var left := Vector2.ZERO  # sticks: -1 ... 1 with right and up positive
var right := Vector2.ZERO
var left_trigger := 0.0  # 0 ... 1
var right_trigger := 0.0
var buttons := 0  # the sum of those that are down: Playhead.Pad.A and so on
var holder = null  # who holds it, a tool's name; null if nobody ever has: let the keyboard play
var sequence := 0  # the holder's own count of its pads
var time = null  # timeline seconds of the instant that it was decided on, if that was said


# Whether this button is down.
func holds(button: int) -> bool:
	return buttons & button != 0
