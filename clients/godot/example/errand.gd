# A room that the playthrough tester plays: the same as in the other clients' samples.
#
#     godot3 --path . res://example/errand.tscn
#     playhead demo-record --connect 5670 errand.csv --script person.py
#     playhead replay --connect 5670 errand.csv --seeds 1..10
#
# The player pulls a lever, reads what it says, and goes through the door that opens to the exit.
# Chance decides where a coin lies and whether the day is lucky; the exit opens on lucky days only,
# and what tests need for that is the debug function `luck`. On the plan, z points backwards.
extends Spatial

const PlayheadPlayable = preload("res://playhead/playable.gd")
const SPEED := 3.0
const PAGES := 2
const START := Vector3(1, 0, -1)
const LEVER := Vector3(3, 0, -6)
const EXIT := Vector3(11, 0, -4)
const WALLS := [  # middle and size of each, seen from above: x and z
	[6.0, -1.5, 0.2, 3.0], [6.0, -6.5, 0.2, 3.0],
	[6.0, 0.1, 12.0, 0.2], [6.0, -8.1, 12.0, 0.2], [-0.1, -4.0, 0.2, 8.0], [12.1, -4.0, 0.2, 8.0],
]

var playable: PlayheadPlayable
var player := KinematicBody.new()
var door := StaticBody.new()
var coin := Area.new()
var coins := 0
var page := -1  # of what the lever says; -1 while nothing is read
var lucky := true
var finished := false
var before := 0


func _ready() -> void:
	player.name = "Player"
	_add_shape(player, Vector3(0.25, 0.5, 0.25))
	add_child(player)
	for wall in WALLS:
		var body := StaticBody.new()
		_add_shape(body, Vector3(wall[2] / 2.0, 1.0, wall[3] / 2.0))
		body.translation = Vector3(wall[0], 0, wall[1])
		add_child(body)
	door.name = "Door"
	_add_shape(door, Vector3(0.1, 1.0, 1.0))
	add_child(door)
	coin.name = "Coin"
	_add_shape(coin, Vector3(0.1, 0.1, 0.1))
	add_child(coin)
	playable = PlayheadPlayable.new(Playhead, self, {
		"name": "errand", "debug": ["luck"],
		"columns": {"door": "bool", "coins": "float", "lucky": "bool"},
		"outcomes": {"door": "equal", "coins": "equal"},
		"settings": "debug: [{call: luck, on: differs, column: lucky}]",
	})
	playhead_restart(null)


func _add_shape(body: CollisionObject, extents: Vector3) -> void:
	var shape := CollisionShape.new()
	shape.shape = BoxShape.new()
	shape.shape.extents = extents
	body.add_child(shape)


# The way on foot: through the door, if the wall is between.
func playhead_find_path(start: Vector3, goal: Vector3, _near: float) -> Array:
	return [goal] if (start.x < 6.0) == (goal.x < 6.0) else [Vector3(6, 0, -4), goal]


# Everything is as at the beginning; the seed decides what is left to chance.
func playhead_restart(given):
	var random := RandomNumberGenerator.new()
	random.seed = 0 if given == null else int(given)
	lucky = given == null or int(given) == 0 or random.randf() < 0.5
	coin.translation = Vector3(random.randf_range(2.5, 3.5), 0, -random.randf_range(3.0, 4.0))
	coin.visible = true
	player.translation = START
	player.rotation = Vector3.ZERO
	_set_open(false)
	coins = 0
	page = -1
	finished = false
	before = 0
	return null


func playhead_debug(_name, argument):
	lucky = bool(argument)
	return null


func _set_open(open: bool) -> void:
	door.translation = Vector3(6, 50 if open else 0, -4)


func _is_open() -> bool:
	return door.translation.y > 1.0


func _physics_process(_delta: float) -> void:
	var pad := Playhead.pad()
	var pressed: int = pad.buttons & ~before
	before = pad.buttons
	if page >= 0:
		if pressed & Playhead.Pad.A:
			page += 1
			if page == PAGES:
				page = -1
				_set_open(true)
	else:
		var way := Vector3(pad.left.x, 0, -pad.left.y)
		player.move_and_slide(way * SPEED, Vector3.UP)
		if way.length() > 0.1:
			player.rotation.y = atan2(-way.x, -way.z)
		if pressed & Playhead.Pad.A and not _is_open() and _is_near(LEVER, 1.0):
			page = 0
	if coin.visible and _is_near(coin.translation, 0.5):
		coin.visible = false
		coins += 1
	if lucky and _is_near(EXIT, 0.6):
		finished = true
	playable.observe(player, {
		"level": "room", "message": page >= 0, "event": "lever" if page >= 0 else "",
		"finished": finished,
		"items": [{"label": "coin", "position": coin.translation}] if coin.visible else [],
		"extras": {"door": _is_open(), "coins": float(coins), "lucky": lucky},
	}, pad)


func _is_near(place: Vector3, reach: float) -> bool:
	return Vector2(place.x - player.translation.x, place.z - player.translation.z).length() < reach
