# What scripts may say and ask. Everything may be called at any time, with or without a service, and
# from any thread unless it says otherwise. `node` is a Node, an id, or null for the world.
extends Node

const PlayheadWarnings = preload("warnings.gd")
const PlayheadConnection = preload("connection.gd")
const PlayheadIds = preload("object_ids.gd")
const PlayheadDrawing = preload("drawing.gd")
const PlayheadPicture = preload("picture.gd")
const PlayheadPads = preload("pads.gd")
const PlayheadPad = preload("pad.gd")
const PlayheadCalls = preload("calls.gd")
const PlayheadCallError = preload("call_error.gd")

# The buttons of a pad, by the names on an Xbox pad.
enum Pad {
	A = 1, B = 2, X = 4, Y = 8, LB = 16, RB = 32, START = 64, BACK = 128, UP = 256, LEFT = 512,
	DOWN = 1024, RIGHT = 2048, LS = 4096, RS = 8192
}

var _warnings := PlayheadWarnings.new()
var _connection := PlayheadConnection.new(_warnings)
var _ids := PlayheadIds.new()
var _pads := PlayheadPads.new()
var _calls := PlayheadCalls.new(_connection)
var _clock := 0.0
var _step := 0
var _stop_wanted := false  # by a failed check
var _failing := {}
var _lock := Mutex.new()


# Whether what is said is being recorded.
func is_recording() -> bool:
	return _connection.stage == PlayheadConnection.LIVE


# Seconds that the game has run: the time of the step that is being made.
func now() -> float:
	return _clock


# The number by which tools know a node; 0 for the world, and while there is no service.
func id_of(node) -> int:
	if node is int or node is float:
		return int(node)
	if not _is_heard() or node == null or not is_instance_valid(node):
		return 0
	return _ids.id_of(node)


# A machine of a node went from one state to another because `won` held. `extra` may have
# also_true: [texts], rejected: {condition: reason}, values: {name: value},
# beliefs: [{object, position, seen, note}], file, line.
func trace_state(node, machine, from, to, won, extra := {}) -> void:
	if not _is_heard():
		return
	var trace := {
		"machine": str(machine), "source": str(from), "target": str(to), "won": str(won)
	}
	if extra.has("also_true"):
		trace["also_true"] = extra["also_true"]
	if extra.has("rejected"):
		trace["rejected"] = []
		for condition in extra["rejected"]:
			var reason: String = str(extra["rejected"][condition])
			trace["rejected"].append({"condition": str(condition), "reason": reason})
	if extra.has("values"):
		trace["values"] = _scalars(extra["values"])
	_place(trace, node, extra)
	_say({"do": "trace_state", "agent": id_of(node), "trace": trace})


# Which nodes a behaviour tree has: [{name, kind, parent}].
func define_tree(node, tree, nodes: Array) -> void:
	if _is_heard():
		_say({"do": "define_tree", "agent": id_of(node), "tree": str(tree), "nodes": nodes})


# A behaviour tree was ticked: one status for each of its nodes. `extra` may have
# ended_early: {index: reason}, blackboard: {name: value}, beliefs, file, line.
func trace_tree(node, tree, statuses: Array, extra := {}) -> void:
	if not _is_heard():
		return
	var trace := {"tree": str(tree), "statuses": statuses}
	if extra.has("ended_early"):
		trace["ended_early"] = extra["ended_early"]
	if extra.has("blackboard"):
		trace["blackboard"] = _scalars(extra["blackboard"])
	_place(trace, node, extra)
	_say({"do": "trace_tree", "agent": id_of(node), "trace": trace})


# How an animation tree was blended: [{name, contribution, rate, time, criteria, parent}].
func trace_animation(node, tree, clips: Array) -> void:
	if not _is_heard():
		return
	var trace := {"tree": str(tree), "clips": clips}
	_place(trace, node, {})
	_say({"do": "trace_animation", "agent": id_of(node), "trace": trace})


# `level` is debug, info, warning or error.
func log_line(text, level := "info", node = null, channel := "") -> void:
	if not _is_heard():
		return
	var said := {"do": "log", "line": {"text": str(text), "level": level, "object": id_of(node)}}
	if channel != "":
		said["channel"] = channel
	_say(said)


# A number, to be plotted.
func watch(name, value, node = null) -> void:
	if not _is_heard() or not typeof(value) in [TYPE_FLOAT, TYPE_INT, TYPE_BOOL]:
		return
	var number := float(value)
	if not is_nan(number) and not is_inf(number):
		_say({"do": "watch", "name": str(name), "value": number, "object": id_of(node)})


# A named instant.
func mark(name, note := "", node = null) -> void:
	if _is_heard():
		_say({"do": "mark", "name": str(name), "note": note, "object": id_of(node)})


# Anything plain that stays true of a node until it is said again.
func fact(node, key, value) -> void:
	if _is_heard():
		_say({"do": "fact", "object": id_of(node), "key": str(key), "value": value})


# If `condition` is false the game stops at the end of this step and all tools look at `node`.
# Returns the condition. A check that goes on failing in the next steps is one failure.
func check(condition, message, node = null) -> bool:
	if not is_recording():
		return true if condition else false
	var key := "%d/%s" % [id_of(node), message]
	_lock.lock()
	var before: int = _failing.get(key, -2)
	if condition:
		_failing.erase(key)
	else:
		_failing[key] = _step
	_lock.unlock()
	if not condition and before < _step - 1:
		var said := {"do": "report_failed_check", "message": str(message), "object": id_of(node)}
		_place(said, node, {})
		_say(said)
		_stop_wanted = true
	return true if condition else false


# --- what comes from outside, and what happens ----------------------------------------------------


# What came from outside in this step: a key, a seed, a message. `value` is plain: a number, a text,
# a bool, null, an array, a dictionary.
func input(name, value, node = null) -> void:
	if _is_heard():
		_say({"do": "input", "name": str(name), "value": value, "object": id_of(node)})


# Something happened in the game: a door opened, somebody scored.
func event(name, value = null, node = null) -> void:
	if _is_heard():
		_say({"do": "event", "name": str(name), "value": value, "object": id_of(node)})


# A stretch of the run begins, such as a level; it goes on until the next one. An empty name ends
# it.
func phase(name) -> void:
	if _is_heard():
		_say({"do": "phase", "name": str(name)})


# What the screen shows, or an image of the game's own, `width` pixels wide at most: as JPEG if this
# engine can encode that, else as PNG. It takes some milliseconds: a few each second are enough.
# False if nobody records, or if there is no screen. Not for other threads.
func picture(image: Image = null, width := 640, name := "screen") -> bool:
	if not _is_heard():
		return false
	if image == null:
		image = PlayheadPicture.of_screen(get_viewport())
	if image == null or image.is_empty():
		return false
	return _say(PlayheadPicture.statement(image, width, str(name)))


# What a player holds in this step, counted from 0: see pad.gd. The setting `playhead/pads` says how
# many there are. What is pressed and let go between two steps is down in the next one. It is
# recorded as the input "pad", of the next player "pad 1".
func pad(player := 0) -> PlayheadPad:
	if player < 0 or player >= _pads.players:
		if _is_heard():
			_warnings.warn(
				"pad of player %d: the setting playhead/pads is %d" % [player, _pads.players]
			)
		return PlayheadPad.new()
	var input := {}
	var taken := _pads.take(player, _step, input)
	if not input.is_empty():
		self.input(input["name"], input["value"])
	return taken


# --- for tools: nothing of it is recorded ---------------------------------------------------------


# Let tools call a method of an object under a name. It gets an argument and returns a result, both
# plain: dictionaries, arrays, texts, floats, bools, null. It is called at the end of a step, or
# while the game stands. If it can't be done it returns `refusal(why)` or `failure(why)`.
func serve(name, object: Object, method: String) -> void:
	_calls.serve(str(name), object, method)


# End that.
func withdraw(name) -> void:
	_calls.withdraw(str(name))


# What a served method returns if the caller is to blame, whose argument makes no sense.
func refusal(why) -> PlayheadCallError:
	return PlayheadCallError.new(str(why), true)


# What it returns if something else has gone wrong.
func failure(why) -> PlayheadCallError:
	return PlayheadCallError.new(str(why), false)


# The newest under a name, for all tools that want to know. Plain, 256 KiB at most.
func publish(name, body) -> void:
	if is_recording():
		_connection.publish(str(name), body)


# --- debug drawings -------------------------------------------------------------------------------


# Debug drawings of this step; with a name as `latch` they stay until drawn again. Points are
# Vector3 or Vector2.
func draw_line(from, to, color := Color.WHITE, node = null, channel := "", latch := "") -> void:
	_draw("line", [from, to], color, node, channel, latch)


# Many lines: the ends in pairs.
func draw_lines(
	points: Array, color := Color.WHITE, node = null, channel := "", latch := ""
) -> void:
	_draw("lines", points, color, node, channel, latch)


func draw_sphere(
	center, radius: float, color := Color.WHITE, node = null, channel := "", latch := ""
) -> void:
	_draw("sphere", [center], color, node, channel, latch, {"size": [radius, radius, radius]})


# `size` is the length of the edges.
func draw_box(
	center, size, color := Color.WHITE, node = null, channel := "", latch := "", basis := Basis()
) -> void:
	var more := {"size": PlayheadDrawing.point(size), "angles": PlayheadDrawing.angles(basis)}
	_draw("box", [center], color, node, channel, latch, more)


func draw_polygon(
	points: Array, color := Color.WHITE, node = null, channel := "", latch := ""
) -> void:
	_draw("polygon", points, color, node, channel, latch)


func draw_text(
	position, text, color := Color.WHITE, node = null, channel := "", latch := ""
) -> void:
	_draw("text", [position], color, node, channel, latch, {"text": str(text)})


func _draw(shape: String, points: Array, color: Color, node, channel, latch, more := {}) -> void:
	if _is_heard():
		_say(PlayheadDrawing.statement(shape, points, color, id_of(node), channel, latch, more))


# Where something was said, and what the speaker believes.
func _place(said: Dictionary, node, extra: Dictionary) -> void:
	if extra.has("file"):
		said["file"] = extra["file"]
		said["line"] = int(extra.get("line", 0))
	elif node is Object and is_instance_valid(node) and node.get_script() != null:
		said["file"] = node.get_script().resource_path
	if extra.has("beliefs"):
		said["beliefs"] = []
		for belief in extra["beliefs"]:
			said["beliefs"].append({
				"object": id_of(belief.get("object")), "position": PlayheadDrawing.point(belief["position"]),
				"seen": float(belief.get("seen", _clock)), "note": str(belief.get("note", "")),
			})


# Only numbers, texts and nothing: what else there is becomes text.
func _scalars(values: Dictionary) -> Dictionary:
	var plain := {}
	for name in values:
		var value = values[name]
		if value is Node:
			value = value.name
		elif value != null and not typeof(value) in [TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING]:
			value = str(value)
		plain[str(name)] = value
	return plain


# Whether there is somebody to whom anything can be said.
func _is_heard() -> bool:
	return _connection.stage >= PlayheadConnection.JOINING


func _say(ask: Dictionary) -> bool:
	return _connection.say(ask)
