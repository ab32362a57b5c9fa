# Records a Godot 3 game for playhead, and makes it look like any recorded frame.
#
# Copy this one file into a project and make it an autoload called Playhead. Without the address of
# a service (see README.md) it does nothing. What is said on the wire is in docs/protocol.md.
#
# Order of things. A step is finished when the next one is about to begin: then the physics engine
# has moved its bodies and every script has had its turn. So frames are recorded first of all in
# `_physics_process`. The game is stopped last of all in `_process` and let go at the same place:
# no step, delta or timer is lost or had twice, and a resumed run is the one that never stopped.
#
# While frames are shown, the nodes move but the physics engine is not told: bodies don't pass their
# transforms on. It finds its world as it left it. Everything that is changed in a node is kept
# first, and put back exactly, also when the service goes away.
extends Node

const PROTOCOL = [1, 0]
const MOST_WAITING = 8388608  # bytes that wait for a slow service; frames beyond are dropped
const MOST_OBJECTS = 4000
const MOST_FIELDS = 48
const MOST_SAID = 5000  # statements in one step
const MOST_TEXT = 900000  # characters of a statement; the service reads 1 MiB
const MOST_DRAWN = 400  # pieces of the standing world
const MOST_MOVERS = 64  # bodies that were thought to stand still, and got types of their own
const TEXT_BYTES = 32
const SILENCE = 30000  # milliseconds without a word after which a service is gone
const IDS = 16777216  # ids that a run may use for each frame that was recorded before it
const NOT_VISIBLE = 33554432  # flag 2 of a packet, where it stands in the header's second word
const SAFE = 9007199254740991  # 2^53 - 1: larger numbers are text in JSON

enum { OFF, AWAY, REACHING, HELLO, JOINING, LIVE }
enum { RUNNING, STOPPING, STANDING, LEAVING }
enum { PLACELESS, CONTROL, FLAT, SOLID }
enum { AS_BOOL, AS_NUMBER, AS_INT, AS_TEXT, AS_VECTOR2, AS_VECTOR3, AS_COLOR, AS_QUAT }

const FORMATS = ["?", "<f8", "<i8", "S32", "<f4", "<f4", "<f4", "<f4"]
const SHAPES = [[], [], [], [], [2], [3], [4], [4]]
const SIZES = [1, 8, 8, 32, 8, 12, 16, 16]
const ROLES = {
	"origin": "position", "linear_velocity": "velocity", "velocity": "velocity", "shown": "visible",
	"hp": "health", "health": "health", "state": "state", "fov": "fov", "joints": "joints",
}

var frames_sent := 0
var frames_dropped := 0
var microseconds := 0.0  # what recording a frame takes, on average

var _url := ""
var _waits := false  # rather make the game wait than drop a frame
var _dimensions := 0
var _stage := OFF
var _link: PlayheadLink
var _last_of_all: PlayheadLast
var _origin := ""
var _service := ""
var _sequence := 0
var _questions := {}  # sequence of a request -> what to do with its answer
var _retry_at := 0
var _retry_after := 250
var _heard := 0
var _spoke := 0
var _warned := {}
var _lock := Mutex.new()  # scripts may speak from threads of their own

var _clock := 0.0
var _sent_clock := 0.0
var _due := false  # a step has been made that is not recorded yet
var _step := 0
var _newest_id := 0
var _ids := {}  # instance id -> id, for as long as the node lives
var _nodes := {}  # id -> instance id
var _said := PoolStringArray()
var _failing := {}
var _frame := 0
var _dropped_told := 0
var _tell_dropped_at := 0

var _fresh := []  # instance ids of nodes that came into the tree
var _things := {}  # instance id -> PlayheadThing
var _kinds := {}  # node class and script -> PlayheadKind
var _layouts := {}  # type number -> [kind, its fields], also of former layouts
var _names := {}  # type name -> key of its kind
var _next_number := 32
var _scripts := {}  # script -> its variables: [name, type, may be put back]
var _rigs := {}  # skeleton as text -> number
var _rigs_told := {}
var _statics := {}  # instance id -> [transform, pieces drawn]
var _drawn := 0
var _movers := 0
var _dirty := true
var _count := 0
var _image := StreamPeerBuffer.new()
var _texts := {}
var _no_text := PoolByteArray()
var _rota := []  # instance ids that are yet to be looked at again

var _mode := RUNNING
var _orders := []  # "pause" and "resume" that are not obeyed yet, oldest first
var _stop_wanted := false  # by a failed check
var _countdown := 0
var _was_paused := false
var _time_scale := 1.0
var _was_input_off := false
var _mouse := 0
var _was_polling := true
var _woken := []  # instance ids of nodes that ran while the tree was paused
var _guarded := []  # [instance id, flags]: see _guard
var _muted := []  # connections to the tree's clock signals
var _own := {}  # instance id -> what the node was before a frame was shown in it
var _own_camera := 0
var _own_canvas = null
var _aim = null
var _crowd: Node = null
var _stand_ins := {}
var _image_next := false


# --- settings and the course of a frame -----------------------------------------------------------


func _init() -> void:
	pause_mode = PAUSE_MODE_PROCESS
	process_priority = -2147483648
	set_process(false)
	set_physics_process(false)


func _ready() -> void:
	_url = _setting("playhead", "PLAYHEAD_URL", "playhead/url")
	if _url == "":
		return
	_waits = _setting("playhead-wait", "PLAYHEAD_WAIT", "playhead/wait") in ["1", "true", "True"]
	_dimensions = int(_setting("playhead-dimensions", "PLAYHEAD_DIMENSIONS", "playhead/dimensions"))
	_no_text.resize(TEXT_BYTES)
	for i in TEXT_BYTES:
		_no_text[i] = 0
	_link = PlayheadLink.new(_url, _setting("", "PLAYHEAD_CERTIFICATE", "playhead/certificate"))
	_last_of_all = PlayheadLast.new(self)
	# With names: those that the engine makes up are counted, and the game's would be others.
	_last_of_all.name = "LastOfAll"
	add_child(_last_of_all)
	_stage = AWAY
	set_physics_process(true)
	if _waits:
		var until := OS.get_ticks_msec() + 10000
		while _stage != JOINING and OS.get_ticks_msec() < until:
			_talk()
			OS.delay_msec(1)


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


func _physics_process(_delta: float) -> void:
	if _mode == RUNNING:
		if _due:
			_finish_step()
			# Several steps may be made before the next `_process`: too late for a failed check.
			if _stop_wanted or _is_ordered("pause"):
				_freeze()
				_stand()
				return
		if not get_tree().paused and Engine.time_scale > 0.0:
			# In double precision, which the given delta has not.
			_clock += Engine.time_scale / Engine.iterations_per_second
			_due = true
			_step += 1
	elif _mode == STOPPING:
		# The physics engines have reported the step that was made; there is not to be another.
		if _due:
			_finish_step()
		_stand()


# Called when all other nodes have had their `_process`.
func _end_of_frame() -> void:
	var talked := _talk()
	if _mode == LEAVING:
		_countdown -= 1
		if _countdown <= 0:
			_thaw()
	elif _mode == STANDING:
		if not get_tree().paused:  # somebody let it run
			_was_paused = false
			get_tree().paused = true
		while _is_ordered("pause"):
			_obeyed("pause")
		if _is_ordered("resume") or _stage < LIVE:
			_put_back()
			_mode = LEAVING
			_countdown = 3  # until all that the nodes' moving back has set off is over
		elif not talked:
			OS.delay_msec(2)
	if _mode == RUNNING:
		while _is_ordered("resume"):
			_obeyed("resume")
		if _stop_wanted or _is_ordered("pause"):
			_freeze()
			if _due and not _was_paused:
				# Only for what they have to report of the last step: see _physics_process.
				PhysicsServer.set_active(true)
				Physics2DServer.set_active(true)


func _is_ordered(what: String) -> bool:
	return not _orders.empty() and _orders[0] == what


func _obeyed(what: String) -> void:
	if _is_ordered(what):
		_orders.pop_front()
	if _stage == LIVE:
		_request({"do": what + "d"})


func _finish_step() -> void:
	_due = false
	if _stage != LIVE:
		if _stage == JOINING and _questions.empty():
			_join()
			var until := OS.get_ticks_msec() + 10000
			while _waits and not _questions.empty() and OS.get_ticks_msec() < until:
				_talk()
				OS.delay_msec(1)
		if _stage != LIVE:
			return
	var began := OS.get_ticks_usec()
	_sweep()
	_record()
	var took := float(OS.get_ticks_usec() - began)
	microseconds += (took - microseconds) * 0.05


func _exit_tree() -> void:
	if _link == null:
		return
	if _stage == LIVE:
		_request({"do": "bye"})
		var until := OS.get_ticks_msec() + 500
		while _link.waiting() > 0 and _link.state == _link.OPEN and OS.get_ticks_msec() < until:
			_link.flush()
			OS.delay_msec(1)
	_link.close()
	_stage = OFF


# --- what scripts may say -------------------------------------------------------------------------
# Everything may be called at any time, from any thread, with or without a service. `node` is a
# Node, an id, or null for the world.


# Whether what is said is being recorded.
func is_recording() -> bool:
	return _stage == LIVE


# Whether the game stands still for playback.
func is_standing() -> bool:
	return _mode != RUNNING


# Seconds that the game has run: the time of the step that is being made.
func now() -> float:
	return _clock


# The number by which tools know a node; 0 for the world, and while there is no service.
func id_of(node) -> int:
	if node is int or node is float:
		return int(node)
	if _stage < JOINING or node == null or not is_instance_valid(node):
		return 0
	var instance: int = node.get_instance_id()
	_lock.lock()
	var id: int = _ids.get(instance, 0)
	if id == 0:
		_newest_id += 1
		id = _newest_id
		_ids[instance] = id
		_nodes[id] = instance
	_lock.unlock()
	return id


# A machine of a node went from one state to another because `won` held. `extra` may have
# also_true: [texts], rejected: {condition: reason}, values: {name: value},
# beliefs: [{object, position, seen, note}], file, line.
func trace_state(node, machine, from, to, won, extra := {}) -> void:
	if _stage < JOINING:
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
	if _stage >= JOINING:
		_say({"do": "define_tree", "agent": id_of(node), "tree": str(tree), "nodes": nodes})


# A behaviour tree was ticked: one status for each of its nodes. `extra` may have
# ended_early: {index: reason}, blackboard: {name: value}, beliefs, file, line.
func trace_tree(node, tree, statuses: Array, extra := {}) -> void:
	if _stage < JOINING:
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
	if _stage < JOINING:
		return
	var trace := {"tree": str(tree), "clips": clips}
	_place(trace, node, {})
	_say({"do": "trace_animation", "agent": id_of(node), "trace": trace})


# `level` is debug, info, warning or error.
func log_line(text, level := "info", node = null, channel := "") -> void:
	if _stage < JOINING:
		return
	var said := {"do": "log", "line": {"text": str(text), "level": level, "object": id_of(node)}}
	if channel != "":
		said["channel"] = channel
	_say(said)


# A number, to be plotted.
func watch(name, value, node = null) -> void:
	if _stage < JOINING or not typeof(value) in [TYPE_REAL, TYPE_INT, TYPE_BOOL]:
		return
	var number := float(value)
	if not is_nan(number) and not is_inf(number):
		_say({"do": "watch", "name": str(name), "value": number, "object": id_of(node)})


# A named instant.
func mark(name, note := "", node = null) -> void:
	if _stage >= JOINING:
		_say({"do": "mark", "name": str(name), "note": note, "object": id_of(node)})


# Anything plain that stays true of a node until it is said again.
func fact(node, key, value) -> void:
	if _stage >= JOINING:
		_say({"do": "fact", "object": id_of(node), "key": str(key), "value": value})


# If `condition` is false the game stops at the end of this step and all tools look at `node`.
# Returns the condition. A check that goes on failing in the next steps is one failure.
func check(condition, message, node = null) -> bool:
	if _stage != LIVE:
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
		var said := {"do": "check_failed", "message": str(message), "object": id_of(node)}
		_place(said, node, {})
		_say(said)
		_stop_wanted = true
	return true if condition else false


# Debug drawings of this step; with a name as `latch` they stay until drawn again. Points are
# Vector3 or Vector2.
func draw_line(from, to, color := Color.white, node = null, channel := "", latch := "") -> void:
	_draw("line", [from, to], color, node, channel, latch)


# Many lines: the ends in pairs.
func draw_lines(
	points: Array, color := Color.white, node = null, channel := "", latch := ""
) -> void:
	_draw("lines", points, color, node, channel, latch)


func draw_sphere(
	center, radius: float, color := Color.white, node = null, channel := "", latch := ""
) -> void:
	_draw("sphere", [center], color, node, channel, latch, {"size": [radius, radius, radius]})


# `size` is the length of the edges.
func draw_box(
	center, size, color := Color.white, node = null, channel := "", latch := "", basis := Basis()
) -> void:
	var more := {"size": _point(size), "angles": _angles(basis)}
	_draw("box", [center], color, node, channel, latch, more)


func draw_polygon(
	points: Array, color := Color.white, node = null, channel := "", latch := ""
) -> void:
	_draw("polygon", points, color, node, channel, latch)


func draw_text(
	position, text, color := Color.white, node = null, channel := "", latch := ""
) -> void:
	_draw("text", [position], color, node, channel, latch, {"text": str(text)})


func _draw(shape: String, points: Array, color: Color, node, channel, latch, more := {}) -> void:
	if _stage < JOINING:
		return
	var said := {
		"do": "draw", "shape": shape, "points": [], "object": id_of(node),
		"color": [color.r8, color.g8, color.b8],
	}
	for point in points:
		said["points"].append(_point(point))
	for key in more:
		said[key] = more[key]
	if channel != "":
		said["channel"] = channel
	if latch != "":
		said["latch"] = latch
	_say(said)


func _point(point) -> Array:
	if point is Vector2:
		return [point.x, point.y, 0.0]
	return [point.x, point.y, point.z]


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
				"object": id_of(belief.get("object")), "position": _point(belief["position"]),
				"seen": float(belief.get("seen", _clock)), "note": str(belief.get("note", "")),
			})


# Only numbers, texts and nothing: what else there is becomes text.
func _scalars(values: Dictionary) -> Dictionary:
	var plain := {}
	for name in values:
		var value = values[name]
		if value is Node:
			value = value.name
		elif value != null and not typeof(value) in [TYPE_BOOL, TYPE_INT, TYPE_REAL, TYPE_STRING]:
			value = str(value)
		plain[str(name)] = value
	return plain


func _say(ask: Dictionary) -> void:
	if _stage < JOINING:
		return
	var text := _enveloped(ask, 0)
	_lock.lock()
	if text.length() <= MOST_TEXT and _said.size() < MOST_SAID:
		_said.append(text)
	else:
		_warn("what was said is too long, or too much for one step: it is not recorded")
	_lock.unlock()


# --- the conversation with the service ------------------------------------------------------------


# Read and answer what has come; true if something has.
func _talk() -> bool:
	if _stage == OFF:
		return false
	var time := OS.get_ticks_msec()
	if _stage == AWAY:
		if time < _retry_at:
			return false
		_heard = time
		_link.open()
		_stage = REACHING
	var messages := _link.poll()
	if _link.has_heard:
		_link.has_heard = false
		_heard = time
	for message in messages:
		if message is String:
			_on_text(message)
		elif _image_next:
			_image_next = false
			if _mode == STANDING:
				_show_image(message)
	if _stage == REACHING and _link.state == _link.OPEN:
		_stage = HELLO
		_origin = ""
		_request({"do": "hello", "name": _title(), "protocol": PROTOCOL}, "hello")
	if _stage > REACHING:
		if time - _heard > SILENCE:
			_link.lose("it has said nothing for a long time")
		elif time - max(_spoke, _heard) > SILENCE / 6:
			_request({"do": "present"})  # who is silent is taken to be gone
	_link.flush()
	if _link.state == _link.LOST:
		_lost()
	return not messages.empty()


func _lost() -> void:
	if _stage > REACHING or _link.why_matters:
		_warn("the service at " + _link.shown_url + " is not there: " + _link.why)
	if _stage >= JOINING:
		get_tree().disconnect("node_added", self, "_on_added")
		get_tree().disconnect("node_removed", self, "_on_removed")
	_stage = AWAY
	_retry_at = OS.get_ticks_msec() + _retry_after
	_retry_after = int(min(_retry_after * 2, 2000 if _link.has_address else 30000))
	_questions.clear()
	_image_next = false
	_stop_wanted = false
	_orders.clear()
	_said = PoolStringArray()
	_things.clear()
	_fresh.clear()
	_statics.clear()
	if _mode == STOPPING:
		_stand_quietly()


func _request(ask: Dictionary, then := "") -> void:
	_sequence += 1
	if then != "":
		_questions[_sequence] = then
	_spoke = OS.get_ticks_msec()
	_link.send_text(_enveloped(ask, _sequence))


func _enveloped(ask: Dictionary, sequence: int) -> String:
	return "{\"origin\":%s,\"sequence\":%d,\"ask\":%s}" % [_quoted(_origin), sequence, _json(ask)]


func _on_text(text: String) -> void:
	var parsed := JSON.parse(text)
	if parsed.error != OK or not parsed.result is Dictionary:
		_link.lose("it sent what is no JSON")
		return
	var message: Dictionary = parsed.result
	if message.has("order"):
		_on_order(message["order"])
	elif message.has("answer"):
		var sequence := int(message.get("sequence", 0))
		var then: String = _questions.get(sequence, "")
		_questions.erase(sequence)
		_on_answer(then, message["answer"])


func _on_answer(then: String, answer: Dictionary) -> void:
	if answer.get("is") == "error":
		var kind: String = str(answer.get("kind"))
		_warn("refused (" + kind + "): " + str(answer.get("message")))
		if kind == "version":
			_link.close()
			_stage = OFF
		elif then != "" or kind == "hello":
			_retry_after = 2000
			_link.lose(str(answer.get("message")))
	elif then == "hello":
		_welcomed(answer)
	elif then == "game":
		_retry_after = 250
		_stage = LIVE


func _welcomed(welcome: Dictionary) -> void:
	_origin = str(welcome.get("origin"))
	if str(welcome.get("service")) != _service:
		# Another recording. In one that has frames, another run may have used any id so far.
		_service = str(welcome.get("service"))
		var newest := 0
		var span = welcome.get("present", {}).get("span")
		if span is Array and span.size() > 1:
			newest = int(span[1])
		elif span is Dictionary:
			newest = int(span.get("newest", 0))
		_newest_id = newest * IDS
		_ids.clear()
		_nodes.clear()
	_stage = JOINING
	_forget_told()
	get_tree().connect("node_added", self, "_on_added")
	get_tree().connect("node_removed", self, "_on_removed")
	var stack := [get_tree().root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		_fresh.append(node.get_instance_id())
		for i in range(node.get_child_count() - 1, -1, -1):
			stack.append(node.get_child(i))


# On a new connection everything is declared anew.
func _forget_told() -> void:
	_frame = 0
	_dirty = true
	_drawn = 0
	_rigs_told.clear()
	_statics.clear()
	_things.clear()
	_rota.clear()
	for key in _kinds:
		_kinds[key].things.clear()
		_kinds[key].told = false


# Become the game, as soon as it can be told whether it is one of two or of three dimensions.
func _join() -> void:
	_sweep()
	if _things.empty() and _statics.empty() and _said.size() == 0 and _step < 60:
		return
	var solid := _dimensions == 3
	if _dimensions == 0:
		for instance in _things:
			solid = solid or _things[instance].kind.dimension == SOLID
		for instance in _statics:
			solid = solid or instance_from_id(instance) is Spatial
	var conventions := {"up": "y", "handedness": "right", "unit": "m", "angles": ["z", "x", "y"]}
	if not solid:
		# The screen's plane seen from above: y points down there, and angles turn clockwise.
		conventions = {"up": "z", "handedness": "left", "unit": "px", "angles": ["x", "y", "z"]}
	var engine: String = Engine.get_version_info()["string"]
	_request({
		"do": "game", "name": _title(), "can_restore": true, "conventions": conventions,
		"about": {"engine": "Godot " + engine, "debug": OS.is_debug_build()},
	}, "game")


func _title() -> String:
	var name := str(ProjectSettings.get_setting("application/config/name"))
	return name if name != "" else "a Godot game"


func _on_order(order: Dictionary) -> void:
	match order.get("order"):
		"pause", "resume":
			_orders.append(order["order"])
		"show":
			_image_next = bool(order.get("image", false))
			if _mode == STANDING:
				_show_lists(order)
		"look_at":
			if _mode == STANDING:
				_aim = [int(order.get("object", 0)), order.get("position", [0, 0, 0])]
				_take_aim()


func _warn(text: String) -> void:
	if not _warned.has(text):
		_warned[text] = true
		push_warning("playhead: " + text)


# JSON as strict readers want it, with all digits: Godot's own has six behind the point.
func _json(value) -> String:
	var type := typeof(value)
	if type == TYPE_STRING:
		return _quoted(value)
	if type == TYPE_INT:
		return str(value) if abs(value) <= SAFE else "\"%d\"" % value
	if type == TYPE_REAL:
		if is_nan(value) or is_inf(value):
			return "null"
		if value == floor(value) and abs(value) < 1e15:
			return "%d.0" % int(value)
		var exponent := floor(log(abs(value)) / log(10.0))
		if exponent >= -4 and exponent < 6:
			return "%.12f" % value
		return "%.14fe%d" % [value / pow(10.0, exponent), exponent]
	if type == TYPE_BOOL:
		return "true" if value else "false"
	if type == TYPE_NIL:
		return "null"
	if type == TYPE_DICTIONARY:
		var pairs := PoolStringArray()
		for key in value:
			pairs.append(_quoted(str(key)) + ":" + _json(value[key]))
		return "{" + pairs.join(",") + "}"
	if type == TYPE_VECTOR2:
		return "[%s,%s]" % [_json(value.x), _json(value.y)]
	if type == TYPE_VECTOR3:
		return "[%s,%s,%s]" % [_json(value.x), _json(value.y), _json(value.z)]
	if type == TYPE_ARRAY or type >= TYPE_RAW_ARRAY:
		var parts := PoolStringArray()
		for part in value:
			parts.append(_json(part))
		return "[" + parts.join(",") + "]"
	return _quoted(str(value))


func _quoted(text: String) -> String:
	text = text.replace("\\", "\\\\").replace("\"", "\\\"")
	if text.strip_escapes() != text:
		text = text.replace("\n", "\\n").replace("\t", "\\t").strip_escapes()
	return "\"" + text + "\""


# --- what is recorded -----------------------------------------------------------------------------


func _on_added(node: Node) -> void:
	_fresh.append(node.get_instance_id())


func _on_removed(node: Node) -> void:
	var instance := node.get_instance_id()
	var thing = _things.get(instance)
	if thing != null:
		_things.erase(instance)
		thing.kind.things.erase(instance)
		_dirty = true
	elif _statics.has(instance):
		_undraw(instance)
		_statics.erase(instance)
	if node.is_queued_for_deletion() and _ids.has(instance):
		_forget(instance)


func _forget(instance: int) -> void:
	_lock.lock()
	_nodes.erase(_ids[instance])
	_ids.erase(instance)
	_lock.unlock()


# See what came, left or changed since the frame before.
func _sweep() -> void:
	if not _fresh.empty():
		var fresh := _fresh
		_fresh = []
		for instance in fresh:
			var node = instance_from_id(instance)
			if node != null and node.is_inside_tree():
				_take_up(node)
	for node in get_tree().get_nodes_in_group("playhead"):
		if not _things.has(node.get_instance_id()):
			_take_up(node)
	# A few in each frame: names, scripts and what stands still change seldom.
	if _rota.empty():
		_rota = _ids.keys() + _statics.keys()
	for i in min(24, _rota.size()):
		var instance: int = _rota.pop_back()
		if instance_from_id(instance) == null:
			if _ids.has(instance):
				_forget(instance)
		elif _things.has(instance):
			_look_again(instance)
		elif _statics.has(instance):
			_look_at_static(instance)


func _take_up(node: Node) -> void:
	var instance := node.get_instance_id()
	if node == self or node == _last_of_all or _things.has(instance) or _statics.has(instance):
		return
	if node.is_in_group("playhead_ignore"):
		return
	var chosen := node.is_in_group("playhead") or node.has_method("playhead_fields")
	if not chosen:
		if node is StaticBody or node is StaticBody2D or node is TileMap:
			if node.get_script() == null:
				_statics[instance] = null
				_rota.append(instance)  # to be drawn soon
				return
			if node is TileMap:
				return
		elif not (
			node is RigidBody or node is KinematicBody or node is Area or node is Skeleton
			or node is Camera or node is RigidBody2D or node is KinematicBody2D or node is Area2D
			or node is Camera2D
		):
			return
	_add_thing(node, "")


func _add_thing(node: Node, alone: String) -> void:
	if _things.size() >= MOST_OBJECTS:
		_warn("only %d objects are recorded" % MOST_OBJECTS)
		return
	var thing := PlayheadThing.new()
	thing.instance = node.get_instance_id()
	thing.id = id_of(node)
	thing.alone = alone
	thing.script_now = node.get_script()
	thing.kind = _kind_of(node, alone)
	thing.kind.things[thing.instance] = thing
	_things[thing.instance] = thing
	_dirty = true
	_name(thing, node)


func _name(thing: PlayheadThing, node: Node) -> void:
	thing.path = node.get_path()
	_say({"do": "name", "object": thing.id, "name": str(thing.path).replace("/root/", "")})


func _look_again(instance: int) -> void:
	var node = instance_from_id(instance)
	var thing: PlayheadThing = _things[instance]
	if node == null:
		return
	if node.get_script() != thing.script_now or not _still_wanted(node):
		var alone := thing.alone
		thing.kind.things.erase(instance)
		_things.erase(instance)
		_dirty = true
		if _still_wanted(node):
			_add_thing(node, alone)
		return
	if node.get_path() != thing.path:
		_name(thing, node)
	if not thing.kind.unknown.empty():
		_widen(thing.kind, node)


func _still_wanted(node: Node) -> bool:
	if node.is_in_group("playhead_ignore"):
		return false
	return (
		node is CollisionObject or node is CollisionObject2D or node is Skeleton or node is Camera
		or node is Camera2D or node.is_in_group("playhead") or node.has_method("playhead_fields")
	)


# The type of a node: its class and its script. `alone` makes one of its own for it.
func _kind_of(node: Node, alone: String) -> PlayheadKind:
	var script = node.get_script()
	var where := ""
	if script != null:
		where = script.resource_path if script.resource_path else str(script.get_instance_id())
	var key: String = node.get_class() + "|" + where + "|" + alone
	var kind: PlayheadKind = _kinds.get(key)
	if kind != null:
		_widen(kind, node)
		return kind
	kind = PlayheadKind.new()
	_kinds[key] = kind
	kind.name = _type_name(node, where, key, alone)
	kind.dimension = PLACELESS
	if node is Spatial:
		kind.dimension = SOLID
	elif node is Node2D:
		kind.dimension = FLAT
	elif node is Control:
		kind.dimension = CONTROL
	if node is RigidBody or node is RigidBody2D:
		kind.trait = "body"
	elif node is Skeleton:
		kind.trait = "skeleton"
	elif node is Camera or node is Camera2D:
		kind.trait = "camera"
	_engine_fields(kind)
	for variable in _variables(node):
		kind.unknown.append(variable)
	_widen(kind, node)
	if kind.number == 0:
		_renumber(kind)
	return kind


func _type_name(node: Node, where: String, key: String, alone: String) -> String:
	var base: String = node.get_class()
	if "::" in where or not "/" in where:
		where = ""
	if where != "":
		base = where.get_file().get_basename()
	var tries := [base, where.get_base_dir().get_file() + "/" + base, base + " " + node.get_class()]
	if alone != "":
		tries = [base + " " + alone]
	for name in tries:
		if not _names.has(name) and not name.begins_with(".") and not name.begins_with("/"):
			_names[name] = key
			return name
	var number := 2
	while _names.has("%s %d" % [base, number]):
		number += 1
	_names["%s %d" % [base, number]] = key
	return "%s %d" % [base, number]


# What the engine knows of such a node; the order is that of _write_* and _read.
func _engine_fields(kind: PlayheadKind) -> void:
	var fields := kind.engine_fields
	if kind.dimension == SOLID:
		if kind.trait == "body":
			fields.append(["linear_velocity", "<f4", [3]])
			fields.append(["angular_velocity", "<f4", [3]])
			kind.place_at = 24
		fields.append(["basis", "<f4", [3, 3]])
		fields.append(["origin", "<f4", [3]])
		kind.more_at = kind.place_at + 48
	elif kind.dimension == FLAT:
		if kind.trait == "body":
			fields.append(["linear_velocity", "<f4", [2]])
			fields.append(["angular_velocity", "<f4", []])
			kind.place_at = 12
		fields.append(["axes", "<f4", [2, 2]])
		fields.append(["origin", "<f4", [2]])
		kind.more_at = kind.place_at + 24
	elif kind.dimension == CONTROL:
		fields.append(["origin", "<f4", [2]])
		kind.more_at = 8
	if kind.dimension != PLACELESS:
		fields.append(["shown", "?", []])
		kind.more_at += 1
	kind.fields_at = kind.more_at
	if kind.trait == "body":
		fields.append(["sleeping", "?", []])
		kind.fields_at += 1
	elif kind.trait == "camera" and kind.dimension == SOLID:
		fields.append(["current", "?", []])
		fields.append(["fov", "<f4", []])
		kind.fields_at += 5
	elif kind.trait == "camera":
		fields.append(["current", "?", []])
		fields.append(["view", "<f4", [3, 2]])
		kind.fields_at += 25


# The variables of a node that are worth a look: [name, declared type, may be put back].
func _variables(node: Node) -> Array:
	var script = node.get_script()
	var found := []
	if script != null:
		if not _scripts.has(script):
			_scripts[script] = _declared_variables(node)
		found = _scripts[script]
	if not node.has_method("playhead_fields"):
		return found
	var chosen := []
	for name in node.call("playhead_fields"):
		var variable := [str(name), TYPE_NIL, false]
		for known in found:
			if known[0] == variable[0]:
				variable = known
		chosen.append(variable)
	return chosen


# A variable with a getter is left alone, one with a setter is not put back: both would run the
# game's code. Only the source tells; without it no script variable is recorded unless it is asked
# for by `playhead_fields`.
func _declared_variables(node: Node) -> Array:
	var source := ""
	var script = node.get_script()
	while script != null:
		if not script is GDScript or not script.has_source_code():
			return []
		source += script.source_code + "\n"
		script = script.get_base_script()
	var guarded := {}
	for line in source.split("\n"):
		var behind: int = line.find("setget")
		var before: int = line.find("var ")
		if before >= 0 and behind > before:
			var words: PoolStringArray = line.substr(before + 4, behind).split(" ", false)
			var name: String = words[0].split(":")[0].split("=")[0].strip_edges()
			guarded[name] = "," in line.substr(behind, line.length())
	var declared := []
	for property in node.get_property_list():
		var name: String = property["name"]
		if property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE and not guarded.get(name, false):
			declared.append([name, property["type"], not guarded.has(name)])
	return declared


# Take up variables whose values have become plain, and give others more room.
func _widen(kind: PlayheadKind, node: Node) -> void:
	var changed := false
	for variable in kind.unknown.duplicate():
		if kind.fields.size() >= MOST_FIELDS:
			_warn("%s: only %d of its variables are recorded" % [kind.name, MOST_FIELDS])
			kind.unknown.clear()
			break
		var type: int = variable[1] if variable[1] != TYPE_NIL else typeof(node.get(variable[0]))
		var code := _code_of(type, variable[1] != TYPE_NIL)
		if code >= 0:
			kind.unknown.erase(variable)
			kind.fields.append([variable[0], code, variable[2]])
			changed = true
		elif type != TYPE_NIL and variable[1] != TYPE_NIL:
			kind.unknown.erase(variable)  # it will never be plain
	if kind.misfit != "":
		for field in kind.fields:
			if field[0] == kind.misfit:
				field[1] = AS_NUMBER if field[1] == AS_BOOL else AS_TEXT
				changed = true
		kind.misfit = ""
	if changed:
		_renumber(kind)


func _code_of(type: int, declared: bool) -> int:
	match type:
		TYPE_BOOL:
			return AS_BOOL
		TYPE_INT:  # one that is not declared may become a fraction
			return AS_INT if declared else AS_NUMBER
		TYPE_REAL:
			return AS_NUMBER
		TYPE_STRING:
			return AS_TEXT
		TYPE_VECTOR2:
			return AS_VECTOR2
		TYPE_VECTOR3:
			return AS_VECTOR3
		TYPE_COLOR:
			return AS_COLOR
		TYPE_QUAT:
			return AS_QUAT
	return -1


# Another layout is another number under the same name. Packets of the former can still be read.
func _renumber(kind: PlayheadKind) -> void:
	kind.number = _next_number
	_next_number += 1
	kind.size = kind.fields_at
	for field in kind.fields:
		kind.size += SIZES[field[1]]
	if kind.trait == "skeleton":
		kind.size += 4
	kind.told = false
	_layouts[kind.number] = [kind, kind.fields.duplicate(true)]
	_dirty = true


func _declare(kind: PlayheadKind) -> void:
	kind.told = true
	var fields := kind.engine_fields.duplicate()
	var taken := {"joints": true, "skeleton": true}
	for field in fields:
		taken[field[0]] = true
	for field in kind.fields:
		var name: String = field[0]
		while taken.has(name):
			name += "_"
		taken[name] = true
		fields.append([name, FORMATS[field[1]], SHAPES[field[1]]])
	var ask := {"do": "type", "number": kind.number, "name": kind.name, "fields": fields}
	var length := "m" if kind.dimension == SOLID else "px"
	ask["units"] = {}
	ask["roles"] = {}
	for field in fields:
		if ROLES.has(field[0]):
			ask["roles"][field[0]] = ROLES[field[0]]
	for field in kind.engine_fields:
		match field[0]:
			"origin":
				ask["units"]["origin"] = length
			"linear_velocity":
				ask["units"]["linear_velocity"] = length + "/s"
			"angular_velocity":
				ask["units"]["angular_velocity"] = "rad/s"
			"fov":
				ask["units"]["fov"] = "rad"
	if kind.trait == "skeleton":
		fields.append(["skeleton", "<i4", []])
		ask["tail"] = "<f4"
		ask["tail_shape"] = [3, 4]
		ask["tail_name"] = "joints"
		ask["space"] = "model"
		ask["roles"]["joints"] = "joints"
		ask["channels"] = ["animation"]
	_request(ask, "type")


func _rig(thing: PlayheadThing, skeleton: Skeleton) -> void:
	thing.bones = skeleton.get_bone_count()
	var joints := []
	var parents := []
	for i in thing.bones:
		joints.append(skeleton.get_bone_name(i))
		parents.append(skeleton.get_bone_parent(i))
	var key := str(joints) + str(parents)
	if not _rigs.has(key):
		_rigs[key] = _rigs.size()
	thing.rig = _rigs[key]
	var told := "%d/%d" % [thing.kind.number, thing.rig]
	if not _rigs_told.has(told):
		_rigs_told[told] = true
		_request({
			"do": "skeleton", "type": thing.kind.number, "number": thing.rig,
			"name": "%s %d" % [skeleton.name, thing.rig], "joints": joints, "parents": parents,
		}, "skeleton")


# --- a frame's bytes ------------------------------------------------------------------------------
# The image is kept: as long as the same objects are there, only what differs is written over.


func _record() -> void:
	for key in _kinds:
		var kind: PlayheadKind = _kinds[key]
		if kind.trait == "skeleton":
			for instance in kind.things:
				var skeleton = instance_from_id(instance)
				if skeleton != null and skeleton.get_bone_count() != kind.things[instance].bones:
					_dirty = true
	if _dirty:
		_lay_out()
	for key in _kinds:
		var kind: PlayheadKind = _kinds[key]
		if kind.things.empty():
			continue
		if kind.dimension == SOLID:
			_write_solid(kind)
		else:
			_write_flat(kind)
		if kind.misfit != "":
			var example = instance_from_id(kind.things.keys()[0])
			if example != null:
				_widen(kind, example)
	_frame += 1
	_image.seek(0)
	_image.put_64(_frame)
	_image.seek(24)
	_image.put_double(_clock)
	_image.put_double(_clock - _sent_clock)  # not through max(), which has single precision
	_send_frame()


func _send_frame() -> void:
	_lock.lock()
	var said := _said
	_said = PoolStringArray()
	_lock.unlock()
	var size := _image.get_size()
	if _waits:
		var until := OS.get_ticks_msec() + 10000
		while _link.waiting() > MOST_WAITING / 8 and OS.get_ticks_msec() < until:
			if not _link.flush():
				break
			OS.delay_usec(200)
	if _link.waiting() + size > MOST_WAITING and _link.waiting() > 0:
		frames_dropped += 1
		_dropped_again(said)
		return
	if frames_dropped > _dropped_told and OS.get_ticks_msec() > _tell_dropped_at:
		var lost := frames_dropped - _dropped_told
		_dropped_told = frames_dropped
		_tell_dropped_at = OS.get_ticks_msec() + 1000
		var text := "%d frames were not recorded: the service was too slow" % lost
		var line := {"text": text, "level": "warning"}
		_link.send_text(_enveloped({"do": "log", "line": line}, 0))
	for text in said:
		_link.send_text(text)
	_link.send_bytes(_image.data_array)
	_link.flush()
	_spoke = OS.get_ticks_msec()
	_sent_clock = _clock
	frames_sent += 1


# A frame is lost with what was said in it, but not what stays true, nor a failed check.
func _dropped_again(said: PoolStringArray) -> void:
	var kept := PoolStringArray()
	for text in said:
		if "\"do\":\"name\"" in text or "\"do\":\"check_failed\"" in text or "\"latch\":" in text:
			kept.append(text)
	_lock.lock()
	kept.append_array(_said)
	_said = kept
	_lock.unlock()


func _lay_out() -> void:
	_dirty = false
	var runs := []  # [kind, payload size, things]
	for key in _kinds:
		var kind: PlayheadKind = _kinds[key]
		if kind.things.empty():
			continue
		if not kind.told:
			_declare(kind)
		for instance in kind.things:
			var thing: PlayheadThing = kind.things[instance]
			var size := kind.size
			if kind.trait == "skeleton":
				var skeleton = instance_from_id(instance)
				if skeleton != null:
					_rig(thing, skeleton)
				size += thing.bones * 48
			if runs.empty() or runs[-1][0] != kind or runs[-1][1] != size:
				runs.append([kind, size, []])
			runs[-1][2].append(thing)
	var total := 96
	_count = 0
	for run in runs:
		total += 24 + (run[1] + 47) / 8 * 8 * run[2].size()
		_count += run[2].size()
	var zeros := PoolByteArray()
	zeros.resize(total)
	_image = StreamPeerBuffer.new()
	_image.data_array = zeros
	_image.seek(0)
	while _image.get_position() + 8 <= total:
		_image.put_64(0)
	_image.seek(8)
	_image.put_64(-1)
	_image.put_64(-1)
	_image.seek(40)
	_image.put_64(120 if _count else -1)
	_image.put_64(96 if _count else -1)
	_image.put_64(-1)
	_image.put_64(total)
	_image.put_64(total)
	_image.put_32(_count)
	var at := 96
	for r in runs.size():
		var run: Array = runs[r]
		var things: Array = run[2]
		var stride: int = (run[1] + 47) / 8 * 8
		var is_newest: bool = r == runs.size() - 1
		_image.seek(at)
		_image.put_32(0 if is_newest else (24 + stride * things.size()) / 8)
		_image.put_32(things.size())
		_image.put_32(stride)
		_image.put_32(run[1])
		_image.put_32(0)
		_image.put_16(run[0].number)
		_image.put_16(0)
		at += 24
		for i in things.size():
			var next := stride / 8
			if i == things.size() - 1:
				next = 0 if is_newest else (stride + 24) / 8
			var thing: PlayheadThing = things[i]
			thing.at = at
			thing.seen = -1
			thing.place = Transform2D() if run[0].dimension != SOLID else Transform()
			var targetable := 0 if run[0].dimension == PLACELESS else 1
			thing.word = run[0].number | targetable << 16 | next << 32
			_image.seek(at)
			_image.put_64(thing.id)
			_image.put_64(thing.word)
			if run[0].trait == "skeleton":
				_image.seek(at + 40 + run[0].size - 4)
				_image.put_32(thing.rig)
			at += stride


# A variable is written as eight bytes that say what it is, and its value. So what lies lower is
# written later, and the eight bytes are written over: three calls instead of eighteen. What has
# not changed since the frame before is in the image already.
func _write_solid(kind: PlayheadKind) -> void:
	var s := _image
	var body := kind.trait == "body"
	var camera := kind.trait == "camera"
	var skeleton := kind.trait == "skeleton"
	var has_fields := not kind.fields.empty()
	for thing in kind.things.values():
		var node = instance_from_id(thing.instance)
		if node == null or not node.is_inside_tree():
			continue
		var payload: int = thing.at + 40
		if skeleton:
			_write_joints(node, payload + kind.size, thing.bones)
		if has_fields:
			s.seek(payload + kind.fields_at)
			_write_fields(kind, node)
		var place: Transform = node.global_transform
		var seen: int = (2 if node.visible else 0) + (1 if node.is_visible_in_tree() else 0)
		if body and node.sleeping:
			seen += 4
		if place == thing.place and seen == thing.seen and not camera and (not body or seen > 3):
			continue
		if place.basis != thing.place.basis or thing.seen < 0:
			thing.angles = _angles_vector(place.basis)
		thing.place = place
		thing.seen = seen
		s.seek(payload + kind.more_at - 1)
		s.put_u8(1 if seen & 2 else 0)
		if body:
			s.put_u8(1 if seen & 4 else 0)
		elif camera:
			s.put_u8(1 if node.current else 0)
			s.put_float(deg2rad(node.fov))
		s.seek(payload + kind.place_at - 8)
		s.put_var(place)
		if body:
			s.seek(payload - 8)
			s.put_var(AABB(node.linear_velocity, node.angular_velocity))
		s.seek(payload - 32)
		s.put_var(AABB(place.origin, thing.angles))
		s.seek(payload - 32)
		s.put_64(thing.word if seen & 1 else thing.word | NOT_VISIBLE)


# Everything that has no third dimension, or no place at all.
func _write_flat(kind: PlayheadKind) -> void:
	var s := _image
	var body := kind.trait == "body"
	var camera := kind.trait == "camera"
	var has_fields := not kind.fields.empty()
	for thing in kind.things.values():
		var node = instance_from_id(thing.instance)
		if node == null or not node.is_inside_tree():
			continue
		var payload: int = thing.at + 40
		if has_fields:
			s.seek(payload + kind.fields_at)
			_write_fields(kind, node)
		if kind.dimension == PLACELESS:
			continue
		var place: Transform2D
		if kind.dimension == FLAT:
			place = node.global_transform
		else:
			place = Transform2D(deg2rad(node.rect_rotation), node.rect_global_position)
		var seen: int = (2 if node.visible else 0) + (1 if node.is_visible_in_tree() else 0)
		if body and node.sleeping:
			seen += 4
		if place == thing.place and seen == thing.seen and not camera and (not body or seen > 3):
			continue
		thing.place = place
		thing.seen = seen
		s.seek(payload + kind.more_at - 1)
		s.put_u8(1 if seen & 2 else 0)
		if body:
			s.put_u8(1 if seen & 4 else 0)
		elif camera:
			s.put_u8(1 if node.current else 0)
			_write_transform2d(node.get_viewport().canvas_transform)
		var origin := place.origin
		if kind.dimension == FLAT:
			s.seek(payload + kind.place_at - 8)
			s.put_var(place)
			if body:
				s.seek(payload)
				s.put_float(node.linear_velocity.x)
				s.put_float(node.linear_velocity.y)
				s.put_float(node.angular_velocity)
		else:
			s.seek(payload)
			s.put_float(origin.x)
			s.put_float(origin.y)
		s.seek(payload - 32)
		var angles := Vector3(0.0, 0.0, place.get_rotation())
		s.put_var(AABB(Vector3(origin.x, origin.y, 0.0), angles))
		s.seek(payload - 32)
		s.put_64(thing.word if seen & 1 else thing.word | NOT_VISIBLE)


func _write_joints(skeleton: Skeleton, end: int, bones: int) -> void:
	var s := _image
	s.seek(end)
	for i in bones:
		var joint := skeleton.get_bone_global_pose(i)
		var x := joint.basis.x
		var y := joint.basis.y
		var z := joint.basis.z
		var o := joint.origin
		s.put_float(x.x)
		s.put_float(y.x)
		s.put_float(z.x)
		s.put_float(o.x)
		s.put_float(x.y)
		s.put_float(y.y)
		s.put_float(z.y)
		s.put_float(o.y)
		s.put_float(x.z)
		s.put_float(y.z)
		s.put_float(z.z)
		s.put_float(o.z)


func _write_transform2d(place: Transform2D) -> void:
	for column in [place.x, place.y, place.origin]:
		_image.put_float(column.x)
		_image.put_float(column.y)


func _write_fields(kind: PlayheadKind, node: Object) -> void:
	var s := _image
	for field in kind.fields:
		var value = node.get(field[0])
		var type := typeof(value)
		var code: int = field[1]
		if code == AS_NUMBER:
			if type == TYPE_REAL or type == TYPE_INT:
				s.put_double(value)
			elif type == TYPE_BOOL:
				s.put_double(1.0 if value else 0.0)
			else:
				s.put_double(NAN)
				if type == TYPE_STRING:
					kind.misfit = field[0]
		elif code == AS_BOOL:
			s.put_u8(1 if value else 0)
			if type == TYPE_INT or type == TYPE_REAL or type == TYPE_STRING:
				kind.misfit = field[0]
		elif code == AS_INT:
			s.put_64(value if type == TYPE_INT else 0)
		elif code == AS_TEXT:
			if type == TYPE_NIL:
				s.put_data(_no_text)
			else:
				s.put_data(_text(value if type == TYPE_STRING else str(value)))
		elif code == AS_VECTOR3:
			if type != TYPE_VECTOR3:
				value = Vector3(NAN, NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
			s.put_float(value.z)
		elif code == AS_VECTOR2:
			if type != TYPE_VECTOR2:
				value = Vector2(NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
		elif code == AS_COLOR:
			if type != TYPE_COLOR:
				value = Color(NAN, NAN, NAN, NAN)
			s.put_float(value.r)
			s.put_float(value.g)
			s.put_float(value.b)
			s.put_float(value.a)
		else:
			if type != TYPE_QUAT:
				value = Quat(NAN, NAN, NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
			s.put_float(value.z)
			s.put_float(value.w)


# A text in the bytes that a field has for it, cut between characters.
func _text(text: String) -> PoolByteArray:
	var known = _texts.get(text)
	if known != null:
		return known
	var short := text.substr(0, TEXT_BYTES)
	var bytes := short.to_utf8()
	while bytes.size() > TEXT_BYTES:
		short = short.substr(0, short.length() - 1)
		bytes = short.to_utf8()
	if bytes.size() == 0:
		bytes = _no_text
	elif bytes.size() < TEXT_BYTES:
		bytes.append_array(_no_text.subarray(0, TEXT_BYTES - bytes.size() - 1))
	if _texts.size() > 1000:
		_texts.clear()
	_texts[text] = bytes
	return bytes


func _angles(basis: Basis) -> Array:
	var angles := _angles_vector(basis)
	return [angles.x, angles.y, angles.z]


# About z, x and y, in this order; a scale is no rotation.
func _angles_vector(basis: Basis) -> Vector3:
	var volume := basis.determinant()
	if volume < 0.0:
		basis = Basis(-basis.x, -basis.y, -basis.z)
		volume = -volume
	if not volume > 1e-12:
		return Vector3.ZERO
	var euler := basis.orthonormalized().get_euler()
	return Vector3(euler.z, euler.x, euler.y)


# --- the world that stands: drawn once ------------------------------------------------------------
# Bodies that never move, and have no script, would fill the recording for nothing.


func _look_at_static(instance: int) -> void:
	var node = instance_from_id(instance)
	if node == null or not node.is_inside_tree():
		return
	if node.get_script() != null or node.is_in_group("playhead"):
		_undraw(instance)
		_statics.erase(instance)
		_take_up(node)
		return
	var known = _statics[instance]
	if known == null:
		_statics[instance] = [node.global_transform, 0]
		if node is TileMap:
			_draw_tiles(node)
		elif node is StaticBody:
			_draw_solid(node)
		else:
			_draw_flat(node)
	elif known[0] != node.global_transform and not node is TileMap:
		# It moves after all. A type of its own: others of its class were not recorded until now.
		_undraw(instance)
		_statics.erase(instance)
		_movers += 1
		var alone := str(node.get_path()).replace("/root/", "") if _movers <= MOST_MOVERS else ""
		_add_thing(node, alone)


func _undraw(instance: int) -> void:
	if _statics[instance] != null and _statics[instance][1] > 0 and _ids.has(instance):
		_drawn -= _statics[instance][1]
		_say({"do": "despawn", "object": _ids[instance]})


func _draw_piece(node: Node, shape: String, points: Array, more := {}) -> void:
	if _drawn >= MOST_DRAWN or points.empty():
		return
	_drawn += 1
	var known: Array = _statics[node.get_instance_id()]
	known[1] += 1
	var latch := "static/%d/%d" % [id_of(node), known[1]]
	_draw(shape, points, Color(0.5, 0.5, 0.5), node, "world", latch, more)


func _draw_solid(body: StaticBody) -> void:
	for owner in body.get_shape_owners():
		var place: Transform = body.global_transform * body.shape_owner_get_transform(owner)
		for i in body.shape_owner_get_shape_count(owner):
			var shape := body.shape_owner_get_shape(owner, i)
			var middle := Vector3.ZERO
			var size := Vector3.ZERO
			if shape is BoxShape:
				size = shape.extents * 2.0
			elif shape is SphereShape:
				var radius: float = shape.radius * place.basis.get_scale().x
				_draw_piece(body, "sphere", [place.origin], {"size": [radius, radius, radius]})
			elif shape is CapsuleShape:
				var width: float = shape.radius * 2.0
				size = Vector3(width, width, shape.height + width)
			elif shape is CylinderShape:
				size = Vector3(shape.radius * 2.0, shape.height, shape.radius * 2.0)
			elif shape is ConvexPolygonShape and shape.points.size() > 0:
				var box := AABB(shape.points[0], Vector3.ZERO)
				for point in shape.points:
					box = box.expand(point)
				middle = box.position + box.size * 0.5
				size = box.size
			elif shape is ConcavePolygonShape:
				var ends := []
				var faces: PoolVector3Array = shape.get_faces()
				for f in min(faces.size() / 3, 600):
					for corner in 3:
						ends.append(place.xform(faces[f * 3 + corner]))
						ends.append(place.xform(faces[f * 3 + (corner + 1) % 3]))
				_draw_piece(body, "lines", ends)
			if size != Vector3.ZERO:
				var edges := size * place.basis.get_scale().abs()
				var more := {"size": _point(edges), "angles": _angles(place.basis)}
				_draw_piece(body, "box", [place.xform(middle)], more)


func _draw_flat(body: StaticBody2D) -> void:
	for owner in body.get_shape_owners():
		var place: Transform2D = body.global_transform * body.shape_owner_get_transform(owner)
		for i in body.shape_owner_get_shape_count(owner):
			var shape := body.shape_owner_get_shape(owner, i)
			var corners := []
			if shape is RectangleShape2D:
				var half: Vector2 = shape.extents
				corners = [-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)]
			elif shape is CapsuleShape2D:
				var half := Vector2(shape.radius, shape.radius + shape.height * 0.5)
				corners = [-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)]
			elif shape is ConvexPolygonShape2D:
				corners = Array(shape.points)
			elif shape is CircleShape2D:
				var radius: float = shape.radius * place.get_scale().x
				_draw_piece(body, "sphere", [place.origin], {"size": [radius, radius, radius]})
			elif shape is SegmentShape2D:
				_draw_piece(body, "line", [place.xform(shape.a), place.xform(shape.b)])
			elif shape is ConcavePolygonShape2D:
				var ends := []
				for point in shape.segments:
					ends.append(place.xform(point))
				_draw_piece(body, "lines", ends)
			for c in corners.size():
				corners[c] = place.xform(corners[c])
			_draw_piece(body, "polygon", corners)


# Tiles with collisions, as one polygon for each row of neighbours.
func _draw_tiles(map: TileMap) -> void:
	if map.tile_set == null or map.mode != TileMap.MODE_SQUARE:
		return
	var solid := {}
	for cell in map.get_used_cells():
		var tile := map.get_cellv(cell)
		if tile in map.tile_set.get_tiles_ids() and map.tile_set.tile_get_shape_count(tile) > 0:
			solid[cell] = true
	for cell in solid:
		if solid.has(cell - Vector2(1, 0)):
			continue
		var end: Vector2 = cell + Vector2(1, 0)
		while solid.has(end):
			end.x += 1
		var corners := [cell, end, end + Vector2(0, 1), cell + Vector2(0, 1)]
		for c in 4:
			corners[c] = map.global_transform.xform(corners[c] * map.cell_size)
		_draw_piece(map, "polygon", corners)


# --- standing still -------------------------------------------------------------------------------


# Stop everything but nodes in the group "playhead_awake".
func _freeze() -> void:
	_mode = STOPPING
	_stop_wanted = false
	var tree := get_tree()
	_was_paused = tree.paused
	_time_scale = Engine.time_scale
	Engine.time_scale = 0.0  # timers of the tree don't care for its pause
	_was_input_off = tree.root.is_input_disabled()
	tree.root.set_disable_input(true)
	_was_polling = tree.multiplayer_poll
	tree.multiplayer_poll = false
	_mouse = Input.get_mouse_mode()
	if _mouse == Input.MOUSE_MODE_CAPTURED or _mouse == Input.MOUSE_MODE_CONFINED:
		Input.set_mouse_mode(Input.MOUSE_MODE_VISIBLE)
	var stack := [tree.root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		if node == self:
			continue
		if node.pause_mode == PAUSE_MODE_PROCESS and not node.is_in_group("playhead_awake"):
			_woken.append(node.get_instance_id())
			node.pause_mode = PAUSE_MODE_STOP
		for child in node.get_children():
			stack.append(child)
	tree.paused = true
	# Functions that wait for the next frame would go on meanwhile.
	for clock in ["idle_frame", "physics_frame"]:
		for connection in tree.get_signal_connection_list(clock):
			tree.disconnect(clock, connection["target"], connection["method"])
			_muted.append(connection)


# Nodes that would do more than be seen elsewhere when they move are not told that they do.
func _guard(node: Node) -> void:
	var flags := {}
	if node is VisibilityNotifier or node is VisibilityNotifier2D:
		flags["deaf"] = node.is_blocking_signals()
		node.set_block_signals(true)
		if node is VisibilityEnabler or node is VisibilityEnabler2D:
			flags["enabler"] = []
			for i in 2 if node is VisibilityEnabler else 6:
				flags["enabler"].append(node.is_enabler_enabled(i))
				node.set_enabler(i, false)
	elif not (
		node is CollisionObject or node is CollisionObject2D
		or node is RemoteTransform or node is RemoteTransform2D
		or node is GridMap or node is TileMap
		or node is NavigationMeshInstance or node is NavigationPolygonInstance
	):
		return
	flags["place"] = node.is_transform_notification_enabled()
	flags["local"] = node.is_local_transform_notification_enabled()
	node.set_notify_transform(false)
	node.set_notify_local_transform(false)
	_guarded.append([node.get_instance_id(), flags])


func _stand() -> void:
	_stand_quietly()
	_obeyed("pause")


func _stand_quietly() -> void:
	_mode = STANDING
	PhysicsServer.set_active(false)
	Physics2DServer.set_active(false)
	# Not before: nodes may have come in at the end of the frame in which it was stopped.
	var stack := [get_tree().root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		if node is Spatial or node is CanvasItem:
			_guard(node)
		for child in node.get_children():
			stack.append(child)


# Everything has been put back: run on.
func _thaw() -> void:
	var tree := get_tree()
	for guarded in _guarded:
		var node = instance_from_id(guarded[0])
		if node == null:
			continue
		var flags: Dictionary = guarded[1]
		node.set_notify_transform(flags["place"])
		node.set_notify_local_transform(flags["local"])
		if flags.has("enabler"):
			for i in flags["enabler"].size():
				node.set_enabler(i, flags["enabler"][i])
		if flags.has("deaf"):
			node.set_block_signals(flags["deaf"])
	_guarded.clear()
	for connection in _muted:
		if is_instance_valid(connection["target"]):
			tree.connect(
				connection["signal"], connection["target"], connection["method"],
				connection["binds"], connection["flags"]
			)
	_muted.clear()
	tree.paused = _was_paused
	for instance in _woken:
		var node = instance_from_id(instance)
		if node != null:
			node.pause_mode = PAUSE_MODE_PROCESS
	_woken.clear()
	Engine.time_scale = _time_scale
	tree.root.set_disable_input(_was_input_off)
	tree.multiplayer_poll = _was_polling
	if _mouse != Input.get_mouse_mode():
		Input.set_mouse_mode(_mouse)
	_mode = RUNNING
	_obeyed("resume")


# --- showing frames -------------------------------------------------------------------------------


func _node_of(id: int):
	return instance_from_id(_nodes[id]) if _nodes.has(id) else null


func _show_lists(order: Dictionary) -> void:
	for id in order.get("unhide", []):
		var node = _node_of(int(id))
		if node != null and _own.has(node.get_instance_id()):
			_set_visible(node, _own[node.get_instance_id()]["visible"])
	for id in order.get("hide", []):
		var node = _node_of(int(id))
		if node is Spatial or node is CanvasItem:
			_keep(node)
			_set_visible(node, false)
	for id in order.get("remove_stand_ins", []):
		_remove_stand_in(int(id))
	for row in order.get("stand_ins", []):
		_show_stand_in(row)
	_take_aim()


# Without the signal: there may be game code behind it.
func _set_visible(node: Node, visible) -> void:
	if visible == null or node.visible == visible:
		return
	var deaf := node.is_blocking_signals()
	node.set_block_signals(true)
	node.visible = visible
	node.set_block_signals(deaf)


# Remember what a node is like, before the first change.
func _keep(node: Node) -> void:
	var instance := node.get_instance_id()
	if _own.has(instance):
		return
	var own := {"fields": {}, "visible": null}
	if node is Spatial:
		own["visible"] = node.visible
		own["transform"] = node.transform
		own["rotation"] = node.rotation
		own["scale"] = node.scale
	elif node is Node2D:
		own["visible"] = node.visible
		own["transform"] = node.transform
		own["rotation"] = node.rotation
		own["scale"] = node.scale
	elif node is Control:
		own["visible"] = node.visible
		own["rect_position"] = node.rect_position
	if node is Skeleton:
		own["overridden"] = _overridden(node)
	if node is Camera:
		own["fov"] = node.fov
	_own[instance] = own


# Bones that somebody has posed directly, such as a ragdoll: index -> pose.
func _overridden(skeleton: Skeleton) -> Dictionary:
	var found := {}
	for i in skeleton.get_bone_count():
		var pose := skeleton.get_bone_custom_pose(i) * skeleton.get_bone_pose(i)
		if not skeleton.is_bone_rest_disabled(i):
			pose = skeleton.get_bone_rest(i) * pose
		var parent := skeleton.get_bone_parent(i)
		if parent >= 0:
			pose = skeleton.get_bone_global_pose(parent) * pose
		var actual := skeleton.get_bone_global_pose(i)
		if not actual.is_equal_approx(pose):
			found[i] = actual
	return found


func _show_image(bytes: PoolByteArray) -> void:
	if bytes.size() < 96:
		return
	var s := StreamPeerBuffer.new()
	s.data_array = bytes
	s.seek(48)
	var at := s.get_64()
	var by_depth := {}
	while at >= 96 and at + 24 <= bytes.size():
		s.seek(at)
		var next := s.get_u32()
		var count := s.get_u32()
		var stride := s.get_u32()
		var size := s.get_u32()
		s.get_u32()
		var number := s.get_u16()
		if at + 24 + count * stride > bytes.size() or size + 40 > stride:
			_warn("a frame to be shown is damaged")
			return
		for i in count:
			var packet: int = at + 24 + i * stride
			s.seek(packet)
			var node = _node_of(s.get_64())
			if node != null and node.is_inside_tree() and _layouts.has(number):
				# Parents first: the places are those in the world.
				var depth: int = node.get_path().get_name_count()
				if not by_depth.has(depth):
					by_depth[depth] = []
				by_depth[depth].append([node, number, packet + 40, size])
		at = at + next * 8 if next else 0
	var depths := by_depth.keys()
	depths.sort()
	for depth in depths:
		for row in by_depth[depth]:
			_play(s, row[0], row[1], row[2], row[3])
	_take_aim()


func _play(s: StreamPeerBuffer, node: Node, number: int, payload: int, size: int) -> void:
	var kind: PlayheadKind = _layouts[number][0]
	var fields: Array = _layouts[number][1]
	if not (
		(kind.dimension == SOLID) == (node is Spatial)
		and (kind.dimension == FLAT) == (node is Node2D)
		and (kind.dimension == CONTROL) == (node is Control)
	):
		return
	_keep(node)
	s.seek(payload + kind.place_at)
	if kind.dimension == SOLID:
		node.global_transform = _read_transform(s)
	elif kind.dimension == FLAT:
		node.global_transform = Transform2D(_read_vector2(s), _read_vector2(s), _read_vector2(s))
	elif kind.dimension == CONTROL:
		node.rect_global_position = _read_vector2(s)
	if kind.dimension != PLACELESS:
		s.seek(payload + kind.more_at - 1)
		_set_visible(node, s.get_u8() != 0)
	if kind.trait == "camera":
		var current := s.get_u8() != 0
		if kind.dimension == SOLID:
			node.fov = rad2deg(s.get_float())
			if current and not node.current:
				if _own_camera == 0 and node.get_viewport().get_camera() != null:
					_own_camera = node.get_viewport().get_camera().get_instance_id()
				node.current = true
		elif current:
			_show_canvas(
				node.get_viewport(),
				Transform2D(_read_vector2(s), _read_vector2(s), _read_vector2(s))
			)
	s.seek(payload + kind.fields_at)
	_read_fields(s, node, fields)
	if kind.trait == "skeleton":
		s.get_32()
		var bones: int = (payload + size - s.get_position()) / 48
		for i in min(bones, node.get_bone_count()):
			node.set_bone_global_pose_override(i, _read_joint(s), 1.0, true)


func _read_fields(s: StreamPeerBuffer, node: Node, fields: Array) -> void:
	var own: Dictionary = _own[node.get_instance_id()]["fields"]
	for field in fields:
		var value = null
		match field[1]:
			AS_BOOL:
				value = s.get_u8() != 0
			AS_NUMBER:
				value = s.get_double()
			AS_INT:
				value = s.get_64()
			AS_TEXT:
				var bytes: PoolByteArray = s.get_data(TEXT_BYTES)[1]
				value = null if bytes[TEXT_BYTES - 1] else bytes.get_string_from_utf8()
			AS_VECTOR2:
				value = _read_vector2(s)
			AS_VECTOR3:
				value = _read_vector3(s)
			AS_COLOR:
				value = Color(s.get_float(), s.get_float(), s.get_float(), s.get_float())
			AS_QUAT:
				value = Quat(s.get_float(), s.get_float(), s.get_float(), s.get_float())
		if not field[2] or value == null:
			continue  # not to be put back, or a text that was cut
		var now = node.get(field[0])
		if field[1] == AS_NUMBER:
			if is_nan(value):
				continue  # it was none
			if typeof(now) == TYPE_INT and value == floor(value):
				value = int(value)
			elif typeof(now) == TYPE_BOOL:
				value = value != 0.0
		if typeof(now) != typeof(value) or now != value:
			if not own.has(field[0]):
				own[field[0]] = now
			node.set(field[0], value)


func _read_vector2(s: StreamPeerBuffer) -> Vector2:
	return Vector2(s.get_float(), s.get_float())


func _read_vector3(s: StreamPeerBuffer) -> Vector3:
	return Vector3(s.get_float(), s.get_float(), s.get_float())


func _read_transform(s: StreamPeerBuffer) -> Transform:
	var a := _read_vector3(s)
	var b := _read_vector3(s)
	var c := _read_vector3(s)
	var basis := Basis(Vector3(a.x, b.x, c.x), Vector3(a.y, b.y, c.y), Vector3(a.z, b.z, c.z))
	return Transform(basis, _read_vector3(s))


func _read_joint(s: StreamPeerBuffer) -> Transform:
	var m := []
	for i in 12:
		m.append(s.get_float())
	var basis := Basis(
		Vector3(m[0], m[4], m[8]), Vector3(m[1], m[5], m[9]), Vector3(m[2], m[6], m[10])
	)
	return Transform(basis, Vector3(m[3], m[7], m[11]))


# Give every node back what it had.
func _put_back() -> void:
	for instance in _own:
		var node = instance_from_id(instance)
		if node == null:
			continue
		var own: Dictionary = _own[instance]
		if own.has("transform"):
			node.transform = own["transform"]
			# Godot keeps angles and scale as they were set: a turn by 725 degrees stays one.
			if _differ(node.rotation, own["rotation"]) or _differ(node.scale, own["scale"]):
				node.rotation = own["rotation"]
				node.scale = own["scale"]
				if _differ(node.transform, own["transform"]):
					node.transform = own["transform"]
		if own.has("rect_position"):
			node.rect_position = own["rect_position"]
		if own.has("fov"):
			node.fov = own["fov"]
		if own.has("overridden"):
			node.clear_bones_global_pose_override()
			for i in own["overridden"]:
				node.set_bone_global_pose_override(i, own["overridden"][i], 1.0, true)
		_set_visible(node, own["visible"])
		for name in own["fields"]:
			node.set(name, own["fields"][name])
	_own.clear()
	var camera = instance_from_id(_own_camera) if _own_camera else null
	if camera != null:
		camera.current = true
	_own_camera = 0
	if _own_canvas != null:
		var viewport = instance_from_id(_own_canvas[0])
		if viewport != null:
			viewport.canvas_transform = _own_canvas[1]
		_own_canvas = null
	_aim = null
	for id in _stand_ins.keys():
		_remove_stand_in(id)


# Also by the sign of a zero.
func _differ(one, other) -> bool:
	return var2bytes(one) != var2bytes(other)


func _show_canvas(viewport: Viewport, view: Transform2D) -> void:
	if _own_canvas == null:
		_own_canvas = [viewport.get_instance_id(), viewport.canvas_transform]
	if _own_canvas[0] == viewport.get_instance_id():
		viewport.canvas_transform = view


# Turn the camera to where a tool looks; again after each frame that is shown.
func _take_aim() -> void:
	if _aim == null or _aim[0] == 0:
		return
	var node = _node_of(_aim[0])
	if node == null:
		node = _stand_ins.get(_aim[0])
	var target := Vector3(_aim[1][0], _aim[1][1], _aim[1][2])
	var viewport := get_tree().root
	var camera := viewport.get_camera()
	if node is Spatial:
		target = node.global_transform.origin
	elif node is Node2D or camera == null:
		var place := Vector2(target.x, target.y)
		if node is Node2D:
			place = node.global_position
		var view := viewport.canvas_transform
		view.origin = viewport.get_visible_rect().size * 0.5 - view.basis_xform(place)
		_show_canvas(viewport, view)
		return
	if camera == null or camera == node:
		return
	var away := target - camera.global_transform.origin
	if away.length() < 0.01:
		return
	_keep(camera)
	var up := Vector3.UP if abs(away.normalized().y) < 0.999 else Vector3.BACK
	camera.look_at(target, up)


# A simple thing in the place of a recorded object that is gone.
func _show_stand_in(row: Dictionary) -> void:
	var id := int(row["id"])
	var shown = _stand_ins.get(id)
	var at: Array = row["position"]
	var angles: Array = row["angles"]
	get_tree().set_block_signals(true)
	if _crowd == null:
		_crowd = Node.new()
		_crowd.name = "Crowd"
		add_child(_crowd)
	if shown == null:
		shown = _new_stand_in(_dimension_of(str(row["type"])) == SOLID)
		shown.name = "StandIn%d" % id
		_crowd.add_child(shown)
		_stand_ins[id] = shown
	get_tree().set_block_signals(false)
	if shown is Spatial:
		shown.transform = Transform(
			Basis(Vector3(angles[1], angles[2], angles[0])), Vector3(at[0], at[1], at[2])
		)
	else:
		shown.position = Vector2(at[0], at[1])
		shown.rotation = angles[2]
	shown.visible = bool(row["visible"])


func _dimension_of(type: String) -> int:
	var kind: PlayheadKind = _kinds.get(_names.get(type, ""))
	if kind != null:
		return kind.dimension
	return SOLID if get_tree().root.get_camera() != null else FLAT


func _new_stand_in(solid: bool) -> Node:
	if solid:
		if OS.has_feature("Server"):
			return Spatial.new()  # which has no meshes
		var box := MeshInstance.new()
		box.mesh = CubeMesh.new()
		box.mesh.size = Vector3(0.5, 0.5, 0.5)
		return box
	var diamond := Polygon2D.new()
	var corners := [Vector2(12, 0), Vector2(0, 12), Vector2(-12, 0), Vector2(0, -12)]
	diamond.polygon = PoolVector2Array(corners)
	diamond.color = Color(1, 0.6, 0, 0.7)
	return diamond


func _remove_stand_in(id: int) -> void:
	var shown = _stand_ins.get(id)
	if shown != null:
		get_tree().set_block_signals(true)
		_stand_ins.erase(id)
		shown.free()
		get_tree().set_block_signals(false)


# --- small things of its own ----------------------------------------------------------------------
# Inner names begin with Playhead: a game's `class_name` of the same name would be an error.


# Has its `_process` when all others have had theirs.
class PlayheadLast:
	extends Node

	var _boss

	func _init(boss) -> void:
		_boss = boss
		process_priority = 2147483647

	func _process(_delta: float) -> void:
		_boss._end_of_frame()


# A type of recorded objects.
class PlayheadKind:
	extends Reference

	var number := 0
	var name := ""
	var dimension := 0
	var trait := ""
	var engine_fields := []  # [name, format, shape]
	var fields := []  # script variables: [name, code, may be put back]
	var unknown := []  # script variables that have had no plain value yet
	var misfit := ""
	var place_at := 0  # offsets in the payload
	var more_at := 0
	var fields_at := 0
	var size := 0
	var told := false
	var things := {}


# A recorded object.
class PlayheadThing:
	extends Reference

	var instance := 0
	var id := 0
	var kind
	var script_now
	var path: NodePath
	var alone := ""
	var at := 0  # of its packet in the image
	var word := 0  # type, flags and link in its header
	var seen := -1  # what the image says: 1 seen, 2 visible, 4 asleep; -1 nothing yet
	var place  # and where it is: Transform or Transform2D
	var angles := Vector3.ZERO
	var bones := -1
	var rig := -1


# A WebSocket (RFC 6455) that never blocks, and that knows how much still waits to be sent: the
# engine's own keeps that to itself.
class PlayheadLink:
	extends Reference

	enum { IDLE, RESOLVING, CONNECTING, SECURING, GREETING, OPEN, LOST }

	const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	const MOST = 68000000
	const PATIENCE = 5000

	var state := IDLE
	var why := ""
	var why_matters := false
	var shown_url := ""
	var has_heard := false
	var has_address := false

	var _secure := false
	var _host := ""
	var _port := 80
	var _path := "/"
	var _certificate: X509Certificate = null
	var _tcp: StreamPeerTCP
	var _peer: StreamPeer
	var _resolving := -1
	var _deadline := 0
	var _key := ""
	var _in := PoolByteArray()
	var _out := PoolByteArray()
	var _part := PoolByteArray()
	var _part_is_text := false
	var _random := RandomNumberGenerator.new()  # never the game's

	func _init(url: String, certificate: String) -> void:
		_random.randomize()
		_secure = url.begins_with("wss://")
		_port = 443 if _secure else 80
		var rest := url.substr(url.find("://") + 3, url.length())
		var slash := rest.find("/")
		var question := rest.find("?")
		if slash < 0 or (question >= 0 and question < slash):
			slash = question
		if slash >= 0:
			_path = rest.substr(slash, rest.length())
			rest = rest.substr(0, slash)
			if _path.begins_with("?"):
				_path = "/" + _path
		var colon := rest.find_last(":")
		if colon > rest.find("]"):
			_port = int(rest.substr(colon + 1, rest.length()))
			rest = rest.substr(0, colon)
		_host = rest.replace("[", "").replace("]", "")
		shown_url = "%s:%d" % [_host, _port]
		if certificate != "":
			_certificate = X509Certificate.new()
			if _certificate.load(certificate) != OK:
				_certificate = null

	func open() -> void:
		_in = PoolByteArray()
		_out = PoolByteArray()
		_part = PoolByteArray()
		why = ""
		why_matters = false
		_deadline = OS.get_ticks_msec() + PATIENCE
		_tcp = StreamPeerTCP.new()
		_peer = _tcp
		if _host.is_valid_ip_address():
			_reach(_host)
		else:
			state = RESOLVING
			var type := IP.TYPE_IPV4 if _host == "localhost" else IP.TYPE_ANY
			_resolving = IP.resolve_hostname_queue_item(_host, type)

	func close() -> void:
		if state == OPEN:
			_put(8, PoolByteArray([3, 232]))
			flush()
		if _tcp != null:
			_tcp.disconnect_from_host()
		state = IDLE

	func lose(reason: String, matters := true) -> void:
		if state == IDLE or state == LOST:
			return
		why = reason
		why_matters = matters
		state = LOST
		_tcp.disconnect_from_host()
		if _resolving >= 0:
			IP.erase_resolve_item(_resolving)
			_resolving = -1

	func waiting() -> int:
		return _out.size()

	func send_text(text: String) -> void:
		_put(1, text.to_utf8())

	func send_bytes(bytes: PoolByteArray) -> void:
		_put(2, bytes)

	# Messages that have come whole: String or PoolByteArray.
	func poll() -> Array:
		if state == RESOLVING:
			_look_up()
		if state == CONNECTING:
			_connecting()
		if state == SECURING:
			_securing()
		if state > IDLE and state < OPEN and OS.get_ticks_msec() > _deadline:
			lose("it does not answer", false)
		var messages := []
		if state == GREETING or state == OPEN:
			_read()
			# What it said before it hung up counts.
			var closed := _tcp.get_status() != StreamPeerTCP.STATUS_CONNECTED
			if state == GREETING:
				_greeting()
			if state == OPEN:
				_take(messages)
			if closed:
				lose("it closed the connection")
		return messages

	# Send what the network takes now; false if the connection is gone.
	func flush() -> bool:
		while (state == GREETING or state == OPEN) and _out.size() > 0:
			var done: Array = _peer.put_partial_data(_out)
			if done[0] != OK:
				lose("the connection broke")
				break
			var sent: int = done[1]
			if sent == 0:
				break
			if sent >= _out.size():
				_out = PoolByteArray()
			else:
				_out = _out.subarray(sent, _out.size() - 1)
		return state == OPEN

	func _reach(address: String) -> void:
		has_address = true
		state = CONNECTING
		if _tcp.connect_to_host(address, _port) != OK:
			lose("no connection", false)

	func _look_up() -> void:
		var status := IP.get_resolve_item_status(_resolving)
		if status == IP.RESOLVER_STATUS_WAITING:
			return
		var address := ""
		if status == IP.RESOLVER_STATUS_DONE:
			address = IP.get_resolve_item_address(_resolving)
		IP.erase_resolve_item(_resolving)
		_resolving = -1
		if address == "":
			state = CONNECTING
			lose("there is no host " + _host)
		else:
			_reach(address)

	func _connecting() -> void:
		var status := _tcp.get_status()
		if status == StreamPeerTCP.STATUS_CONNECTED:
			_tcp.set_no_delay(true)
			if not _secure:
				_greet()
				return
			state = SECURING
			var ssl := StreamPeerSSL.new()
			ssl.blocking_handshake = false
			_peer = ssl
			if ssl.connect_to_stream(_tcp, true, _host, _certificate) != OK:
				lose("no TLS")
		elif status != StreamPeerTCP.STATUS_CONNECTING:
			lose("nobody listens there", false)

	func _securing() -> void:
		_peer.poll()
		var status: int = _peer.get_status()
		if status == StreamPeerSSL.STATUS_CONNECTED:
			_greet()
		elif status != StreamPeerSSL.STATUS_HANDSHAKING:
			lose("its TLS certificate is not one that is trusted")

	func _greet() -> void:
		state = GREETING
		var bytes := PoolByteArray()
		for i in 16:
			bytes.append(_random.randi() & 255)
		_key = Marshalls.raw_to_base64(bytes)
		var lines := [
			"GET " + _path + " HTTP/1.1", "Host: " + shown_url, "Upgrade: websocket",
			"Connection: Upgrade", "Sec-WebSocket-Key: " + _key, "Sec-WebSocket-Version: 13",
			"", "",
		]
		_out = PoolStringArray(lines).join("\r\n").to_utf8()
		flush()

	func _read() -> void:
		if _secure:
			_peer.poll()
		while state != LOST:
			var length := _peer.get_available_bytes()
			if length <= 0:
				break
			var done: Array = _peer.get_partial_data(length)
			if done[0] != OK or done[1].size() == 0:
				break
			_in.append_array(done[1])
			has_heard = true

	func _greeting() -> void:
		var end := -1
		for i in range(0, _in.size() - 3):
			if _in[i] == 13 and _in[i + 1] == 10 and _in[i + 2] == 13 and _in[i + 3] == 10:
				end = i + 4
				break
		if end < 0:
			return
		var head := _in.subarray(0, end - 1).get_string_from_ascii()
		var digest := HashingContext.new()
		digest.start(HashingContext.HASH_SHA1)
		digest.update((_key + GUID).to_ascii())
		var expected := Marshalls.raw_to_base64(digest.finish())
		var first := head.substr(0, head.find("\r"))
		if not " 101" in first or not expected in head:
			lose("it answers " + first)
			return
		_drop(end)
		state = OPEN

	func _drop(count: int) -> void:
		_in = _in.subarray(count, _in.size() - 1) if count < _in.size() else PoolByteArray()

	# A mask hides what a script in a browser might smuggle past a proxy. There is no browser here:
	# zeros, which leave the bytes as they are, spare a walk over each of them.
	func _put(code: int, bytes: PoolByteArray) -> void:
		var size := bytes.size()
		var head := [128 | code]
		if size < 126:
			head.append(128 | size)
		elif size < 65536:
			head += [128 | 126, size >> 8, size & 255]
		else:
			head.append(128 | 127)
			for i in range(7, -1, -1):
				head.append((size >> (i * 8)) & 255)
		_out.append_array(PoolByteArray(head + [0, 0, 0, 0]))
		_out.append_array(bytes)

	func _take(messages: Array) -> void:
		var at := 0
		while _in.size() - at >= 2:
			var length := _in[at + 1] & 127
			var body := at + 2
			if length == 126:
				body += 2
			elif length == 127:
				body += 8
			if _in.size() < body:
				break
			if length >= 126:
				length = 0
				for i in range(at + 2, body):
					length = length << 8 | _in[i]
			if length < 0 or length > MOST or _in[at + 1] & 128:
				lose("it sent what is no WebSocket frame")
				return
			if _in.size() < body + length:
				break
			var data := _in.subarray(body, body + length - 1) if length > 0 else PoolByteArray()
			_message(_in[at], data, messages)
			at = body + length
		if at > 0:
			_drop(at)

	func _message(first: int, data: PoolByteArray, messages: Array) -> void:
		var code := first & 15
		if code == 8:
			var said := ""
			if data.size() > 2:
				said = data.subarray(2, data.size() - 1).get_string_from_utf8()
			lose("it said goodbye: " + said)
		elif code == 9:
			_put(10, data)
		elif code <= 2:
			if code > 0:
				_part = data
				_part_is_text = code == 1
			else:
				_part.append_array(data)
			if first & 128:
				if _part_is_text:
					messages.append(_part.get_string_from_utf8())
				else:
					messages.append(_part)
				_part = PoolByteArray()
