# Gamepads that tools and agents hold: the newest of each player, and what was pressed since the
# game looked.
extends RefCounted

const PlayheadPad = preload("pad.gd")
const PULLED = 0.5  # a trigger beyond counts as pressed
const BUTTONS = [
	"A", "B", "X", "Y", "LB", "RB", "START", "BACK", "UP", "LEFT", "DOWN", "RIGHT", "LS", "RS"
]
const NOTHING = {
	"left": [0.0, 0.0], "right": [0.0, 0.0], "left_trigger": 0.0, "right_trigger": 0.0, "buttons": 0
}

var players := 0
var is_resting := false  # during playback: nobody holds anything

var _held := {}  # player -> what is held: a Dictionary like NOTHING, and whose it is
var _pressed := {}  # player -> [buttons, left trigger, right trigger]: also what was let go since
var _taken := {}  # player -> [step, pad]: within a step it does not change


# An order says what a player holds.
func hold(order: Dictionary) -> void:
	var player := int(order.get("player", 0))
	if player < 0 or player >= players:
		return
	var pad := NOTHING.duplicate()
	for key in order:
		pad[key] = order[key]
	pad["buttons"] = int(pad["buttons"])
	var before: Dictionary = _held.get(player, NOTHING)
	var pressed: Array = _pressed.get(player, [0, 0.0, 0.0])
	pressed[0] |= pad["buttons"] & ~before["buttons"]
	for side in 2:
		var trigger: String = ["left_trigger", "right_trigger"][side]
		if before[trigger] <= PULLED and pad[trigger] > PULLED:
			pressed[side + 1] = max(pressed[side + 1], pad[trigger])
	_pressed[player] = pressed
	_held[player] = pad


# The pad that a player plays a step with. The first time in a step the input to be recorded is put
# into `input`, unless nobody has ever held it.
func take(player: int, step: int, input: Dictionary) -> PlayheadPad:
	if _taken.has(player) and _taken[player][0] == step:
		return _taken[player][1]
	var taken := PlayheadPad.new()
	if is_resting:
		return taken
	_taken[player] = [step, taken]
	if not _held.has(player):
		return taken
	var held: Dictionary = _held[player].duplicate()
	var pressed: Array = _pressed.get(player, [0, 0.0, 0.0])
	_pressed.erase(player)
	held["buttons"] |= pressed[0]
	for side in 2:
		var trigger: String = ["left_trigger", "right_trigger"][side]
		if held[trigger] <= PULLED and pressed[side + 1] > 0.0:
			held[trigger] = pressed[side + 1]
	taken.left = Vector2(held["left"][0], held["left"][1])
	taken.right = Vector2(held["right"][0], held["right"][1])
	taken.left_trigger = held["left_trigger"]
	taken.right_trigger = held["right_trigger"]
	taken.buttons = held["buttons"]
	taken.holder = str(held.get("holder", ""))
	taken.sequence = int(held.get("sequence", 0))
	taken.time = held.get("time")
	input["name"] = "pad %d" % player if player > 0 else "pad"
	input["value"] = _input_of(held)
	return taken


# What is at rest is left out.
func _input_of(held: Dictionary) -> Dictionary:
	var values := {
		"left x": held["left"][0], "left y": held["left"][1],
		"right x": held["right"][0], "right y": held["right"][1],
		"left trigger": held["left_trigger"], "right trigger": held["right_trigger"],
	}
	for axis in values.keys():
		if values[axis] == 0.0:
			values.erase(axis)
	for bit in BUTTONS.size():
		if held["buttons"] & 1 << bit:
			values[BUTTONS[bit]] = true
	return values


# Playback begins.
func let_go() -> void:
	is_resting = true
	_pressed.clear()
	_taken.clear()
	for player in _held:
		var holder = _held[player].get("holder", "")
		_held[player] = NOTHING.duplicate()
		_held[player]["holder"] = holder


# The service is gone: nobody has ever held one.
func forget() -> void:
	_held.clear()
	_pressed.clear()
	_taken.clear()
