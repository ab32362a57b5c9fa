# A game that the playthrough tester plays: what it says of itself, and what its player sees.
#
#     const PlayheadPlayable = preload("res://playhead/playable.gd")
#     var playable := PlayheadPlayable.new(Playhead, self, {"columns": {"coins": "float"}})
#
#     func _physics_process(_delta):
#         var pad := Playhead.pad()
#         ...
#         playable.observe(player, {"finished": finished, "extras": {"coins": coins}}, pad)
#
# Keep it in a variable for as long as the game runs. What the game can do is found by the names of
# its methods: `playhead_restart(seed)` begins it anew (the seed is null if none is given),
# `playhead_load(path)` and `playhead_save(path)` are for saved games, and `playhead_debug(name,
# argument)` calls one of the debug functions that `debug` names. Each returns null, or
# `Playhead.refusal(why)`. `playhead_find_path(start, goal, near)` returns the positions that lead on
# foot to within `near` of the goal, as a navigation mesh finds them, or none.
#
# docs/protocol.md, "A game that is tested", explains each value.
extends RefCounted

var _playhead
var _game
var _facts := {}
var _player: WeakRef
var _interval := 1.0 / 30.0
var _due := -INF
var _time := -INF
var _pressed := 0
var _before := 0


# What a game may say: `name`, `interval` (seconds of game time between two observations), `columns`
# (name -> "float", "bool" or "str"), `outcomes`, `levels`, `sticks`, `settings`, `debug` (names).
func _init(playhead, game: Object, facts := {}) -> void:
	_playhead = playhead
	_game = weakref(game)
	_facts = facts.duplicate()
	_interval = float(facts.get("interval", _interval))
	_facts["interval"] = _interval
	_facts["name"] = facts.get("name", "game")
	for able in [["loads", "load"], ["saves", "save"], ["restarts", "restart"]]:
		_facts[able[0]] = game.has_method("playhead_" + able[1])
		if _facts[able[0]]:
			playhead.serve("replay." + able[1], self, "_" + able[1])
	_facts["paths"] = game.has_method("playhead_find_path")
	if _facts["paths"]:
		playhead.serve("replay.path", self, "_find_path")
	playhead.serve("replay.game", self, "_describe")
	playhead.serve("replay.debug", self, "_debug")


# A step is being made with this pad: publish what its player sees, once in each interval. `seen` has
# what there is of `message`, `in_air`, `can_jump`, `level`, `event`, `screen`, `field`, `dead`,
# `finished`, `enemies`, `bosses`, `items`, `people` and `extras`; vectors may stand for positions.
func observe(player: Node, seen: Dictionary, pad) -> void:
	_player = weakref(player)
	_pressed |= pad.buttons & ~_before
	_before = pad.buttons
	var time: float = _playhead.now()
	if time < _time:
		_due = -INF  # the clock began anew
	_time = time
	if time < _due - 1e-9:
		return
	_due = (time if _due < time - _interval else _due) + _interval
	var told := seen.duplicate()
	if player is Node3D:
		told["position"] = player.global_transform.origin
		if not told.has("facing"):
			told["facing"] = player.global_transform.basis.get_euler().y + PI / 2.0  # 0 looks along -z
	elif player is Node2D:
		told["position"] = player.global_position
		if not told.has("facing"):
			told["facing"] = -player.global_rotation  # y is down
	_playhead.publish("observation", {"game_time": time, "player": _playhead.id_of(player), "seen":
		_plain(told), "pad": {
			"left": [pad.left.x, pad.left.y], "right": [pad.right.x, pad.right.y],
			"left_trigger": pad.left_trigger, "right_trigger": pad.right_trigger,
			"buttons": pad.buttons | _pressed,
		}})
	_pressed = 0


# Vectors as lists of three numbers, all else as it is.
func _plain(value):
	if value is Vector3:
		return [value.x, value.y, value.z]
	if value is Vector2:
		return [value.x, value.y, 0.0]
	if value is Array:
		var list := []
		for one in value:
			list.append(_plain(one))
		return list
	if value is Dictionary:
		var map := {}
		for key in value:
			map[key] = _plain(value[key])
		return map
	return value


func _describe(_argument):
	var facts := _facts.duplicate()
	var player = null if _player == null else _player.get_ref()
	facts["player"] = 0 if player == null else _playhead.id_of(player)
	return facts


func _restart(argument):
	return _anew(_game.get_ref().playhead_restart(argument.get("seed")))


func _load(argument):
	return _anew(_game.get_ref().playhead_load(str(argument.get("path"))))


func _save(argument):
	return _game.get_ref().playhead_save(str(argument.get("path")))


func _find_path(argument):
	var way = _game.get_ref().playhead_find_path(
		_vector(argument["start"]), _vector(argument["goal"]), float(argument["near"])
	)
	return [] if way == null else _plain(Array(way))


func _vector(list) -> Vector3:
	return Vector3(list[0], list[1], list[2])


func _debug(argument):
	if not argument is Dictionary or not argument.get("name") in _facts.get("debug", []):
		return _playhead.refusal("no such debug function; there are %s" % [_facts.get("debug", [])])
	return _game.get_ref().playhead_debug(argument["name"], argument.get("argument"))


func _anew(result):
	_due = -INF
	_time = -INF
	_pressed = 0
	return result
