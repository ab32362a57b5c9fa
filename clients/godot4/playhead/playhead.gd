# Records a Godot 4 game for playhead, and makes it look like any recorded frame.
#
# Copy the folder of this file into a project and make this file an autoload called Playhead.
# Without the address of a service (see README.md) it does nothing. What scripts may call is in
# statements.gd; what is said on the wire is in docs/protocol.md.
#
# Order of things. A step is finished when the next one is about to begin: then the physics engine
# has moved its bodies and every script has had its turn. So frames are recorded first of all in
# `_physics_process`. The game is stopped last of all in `_process` and let go at the same place:
# no step, delta or timer is lost or had twice, and a resumed run is the one that never stopped.
#
# While frames are shown, the nodes move but the physics engine is not told: bodies don't pass their
# transforms on. It finds its world as it left it. Everything that is changed in a node is kept
# first, and put back exactly, also when the service goes away.
#
# Inner names begin with Playhead: a game's `class_name` of the same name would be an error.
extends "statements.gd"

const PlayheadTypes = preload("object_types.gd")
const PlayheadObjects = preload("recorded_objects.gd")
const PlayheadStatics = preload("static_bodies.gd")
const PlayheadWriter = preload("frame_writer.gd")
const PlayheadViewer = preload("frame_viewer.gd")
const PlayheadFreezer = preload("freezer.gd")

enum { RUNNING, STOPPING, STANDING, LEAVING }

var frames_sent := 0
var frames_dropped := 0
var microseconds := 0.0  # what recording a frame takes, on average

var _waits := false  # rather make the game wait than drop a frame
var _dimensions := 0
var _types: PlayheadTypes
var _statics: PlayheadStatics
var _objects: PlayheadObjects
var _writer: PlayheadWriter
var _viewer: PlayheadViewer
var _freezer: PlayheadFreezer
var _mode := RUNNING
var _orders := []  # "pause", "resume" and "advance" that are not obeyed yet, oldest first
var _steps_left := -1  # of an `advance`; -1 while there is none
var _countdown := 0
var _due := false  # a step has been made that is not recorded yet
var _sent_clock := 0.0
var _image_next := false


func _init() -> void:
	process_mode = PROCESS_MODE_ALWAYS
	process_priority = -2147483648
	set("process_physics_priority", -2147483648)  # from 4.1 on; before that it is the same one
	set_process(false)
	set_physics_process(false)


func _ready() -> void:
	var url := _setting("playhead", "PLAYHEAD_URL", "playhead/url")
	if url == "":
		return
	_waits = _setting("playhead-wait", "PLAYHEAD_WAIT", "playhead/wait") in ["1", "true", "True"]
	_dimensions = int(_setting("playhead-dimensions", "PLAYHEAD_DIMENSIONS", "playhead/dimensions"))
	_pads.players = int(_setting("playhead-pads", "PLAYHEAD_PADS", "playhead/pads"))
	_types = PlayheadTypes.new(_connection, _warnings)
	_statics = PlayheadStatics.new(_connection, _ids)
	_objects = PlayheadObjects.new(self, _connection, _warnings, _ids, _types, _statics)
	_writer = PlayheadWriter.new(_types)
	_viewer = PlayheadViewer.new(self, _warnings, _ids, _types)
	_freezer = PlayheadFreezer.new(self)
	for came in ["welcomed", "went_live", "lost", "order_came", "image_came"]:
		_connection.connect(came, Callable(self, "_on_" + came))
	var last_of_all := PlayheadLast.new(self)
	# With names: those that the engine makes up are counted, and the game's would be others.
	last_of_all.name = "LastOfAll"
	add_child(last_of_all)
	var certificate := _setting("", "PLAYHEAD_CERTIFICATE", "playhead/certificate")
	_connection.open(url, certificate, _title(), _waits)
	set_physics_process(true)
	if _waits:
		_connection.wait_for(PlayheadConnection.JOINING)


func _setting(argument: String, variable: String, property: String) -> String:
	for given in OS.get_cmdline_args():
		if argument != "" and given == "--" + argument:
			return "1"
		if argument != "" and given.begins_with("--" + argument + "="):
			return given.substr(argument.length() + 3, given.length())
	if OS.has_environment(variable):
		return OS.get_environment(variable)
	if ProjectSettings.has_setting(property):
		return str(ProjectSettings.get_setting(property))
	return ""


# Whether the game stands still for playback.
func is_standing() -> bool:
	return _mode != RUNNING


# --- the course of a frame ------------------------------------------------------------------------


func _physics_process(_delta: float) -> void:
	if _mode == RUNNING:
		if _due:
			_finish_step()
			# Several steps may be made before the next `_process`: too late to stop there.
			if _is_to_stop():
				_freeze()
				_stand()
				return
		if not get_tree().paused and Engine.time_scale > 0.0:
			# In double precision, which the given delta has not.
			_clock += Engine.time_scale / Engine.physics_ticks_per_second
			_due = true
			_step += 1
		if _steps_left > 0:  # also those that a game which has paused itself does not make
			_steps_left -= 1
	elif _mode == STOPPING:
		# The physics engines have reported the step that was made; there is not to be another.
		if _due:
			_finish_step()
		_stand()


# Called when all other nodes have had their `_process`.
func _end_of_frame() -> void:
	var talked := _connection.talk()
	if is_recording():
		_calls.declare()
		if _mode == STANDING or (_mode == RUNNING and not _due):
			_calls.answer()  # or at the end of the step
			_connection.send_published()
	if _mode == LEAVING:
		_countdown -= 1
		if _countdown <= 0:
			_thaw()
	elif _mode == STANDING:
		_freezer.hold()
		while _next_order() == "pause":
			_obey_pause()
		if _next_order() != "" or not is_recording():
			_viewer.put_back()
			_mode = LEAVING
			_countdown = 3  # until all that the nodes' moving back has set off is over
		elif not talked:
			OS.delay_msec(2)
	if _mode == RUNNING:
		while _next_order() in ["resume", "advance"]:
			_obey_resume()
		if _is_to_stop():
			_freeze()
			if _due and not _freezer.was_paused:
				# Only for what they have to report of the last step: see _physics_process.
				_freezer.let_physics_report()


func _is_to_stop() -> bool:
	return _stop_wanted or _steps_left == 0 or _next_order() == "pause"


func _next_order() -> String:
	return "" if _orders.is_empty() else _orders[0]["order"]


func _obey_pause() -> void:
	if _next_order() == "pause":
		_orders.pop_front()
	if is_recording():
		_connection.request({"do": "paused"})


# Also an order to advance, which resumes for some steps.
func _obey_resume() -> void:
	_steps_left = -1
	if _next_order() in ["resume", "advance"]:
		var order: Dictionary = _orders.pop_front()
		if order["order"] == "advance":
			_steps_left = int(max(1, order.get("steps", 1)))
	if is_recording():
		_connection.request({"do": "resumed"})


func _freeze() -> void:
	_mode = STOPPING
	_stop_wanted = false
	_steps_left = -1
	_freezer.freeze()


func _stand() -> void:
	_stand_quietly()
	_obey_pause()


func _stand_quietly() -> void:
	_mode = STANDING
	_pads.let_go()
	_freezer.guard()


# Everything has been put back: run on.
func _thaw() -> void:
	_freezer.thaw()
	_pads.is_resting = false
	_mode = RUNNING
	_obey_resume()


func _finish_step() -> void:
	_due = false
	if not is_recording():
		if _is_heard() and not _connection.is_asking():
			_join()
			if _waits and _connection.is_asking():
				_connection.wait_for(PlayheadConnection.LIVE)
		if not is_recording():
			return
	_calls.answer()  # what they do is in this frame
	var began := Time.get_ticks_usec()
	_objects.sweep()
	if _connection.send_frame(_writer.write(_clock, _clock - _sent_clock)):
		_sent_clock = _clock
		frames_sent += 1
	frames_dropped = _connection.frames_dropped
	_connection.send_published()
	var took := float(Time.get_ticks_usec() - began)
	microseconds += (took - microseconds) * 0.05


func _exit_tree() -> void:
	_connection.close()


# --- the service ----------------------------------------------------------------------------------


func _on_welcomed(newest: int) -> void:
	if newest >= 0:
		_ids.begin_after(newest)
	_types.begin()
	_writer.begin()
	_objects.begin()
	_calls.begin()
	get_tree().connect("node_added", Callable(_objects, "add"))
	get_tree().connect("node_removed", Callable(_objects, "remove"))


# Become the game, as soon as it can be told whether it is one of two or of three dimensions.
func _join() -> void:
	_objects.sweep()
	if _objects.is_empty() and not _connection.has_statements() and _step < 60:
		return
	var conventions := {"up": "y", "handedness": "right", "unit": "m", "angles": ["z", "x", "y"]}
	if _dimensions == 2 or (_dimensions == 0 and not _objects.are_solid()):
		# The screen's plane seen from above: y points down there, and angles turn clockwise.
		conventions = {"up": "z", "handedness": "left", "unit": "px", "angles": ["x", "y", "z"]}
	var engine: String = Engine.get_version_info()["string"]
	_connection.request({
		"do": "register_game", "name": _title(), "can_restore": true, "can_advance": true,
		"pads": _pads.players, "conventions": conventions,
		"about": {"engine": "Godot " + engine, "debug": OS.is_debug_build()},
	}, "game")


func _title() -> String:
	var name := str(ProjectSettings.get_setting("application/config/name"))
	return name if name != "" else "a Godot game"


func _on_went_live() -> void:
	_calls.declare()


func _on_lost(was_joined: bool) -> void:
	if was_joined:
		get_tree().disconnect("node_added", Callable(_objects, "add"))
		get_tree().disconnect("node_removed", Callable(_objects, "remove"))
	_image_next = false
	_stop_wanted = false
	_steps_left = -1
	_orders.clear()
	_objects.end()
	_pads.forget()
	_calls.end()
	if _mode == STOPPING:
		_stand_quietly()


func _on_order_came(order: Dictionary) -> void:
	match order.get("order"):
		"pause", "resume", "advance":
			_orders.append(order)
		"show":
			_image_next = bool(order.get("image", false))
			if _mode == STANDING:
				_viewer.show_lists(order)
		"look_at":
			if _mode == STANDING:
				_viewer.look_at(int(order.get("object", 0)), order.get("position", [0, 0, 0]))
		"pad":
			_pads.hold(order)
		"call":
			_calls.add(order)


func _on_image_came(image: PackedByteArray) -> void:
	if _image_next and _mode == STANDING:
		_viewer.show_image(image)
	_image_next = false


# Has its `_process` when all others have had theirs.
class PlayheadLast:
	extends Node

	var _boss

	func _init(boss) -> void:
		_boss = boss
		process_priority = 2147483647

	func _process(_delta: float) -> void:
		_boss._end_of_frame()
