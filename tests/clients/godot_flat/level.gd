# Balls that fall, shots that free themselves when they leave,
# a guest that comes and goes.
extends Node2D

var _step := 0
var _random := RandomNumberGenerator.new()
var _guest := Area2D.new()


func _ready() -> void:
	_random.seed = 3
	_guest.name = "Guest"
	var shape := CircleShape2D.new()
	shape.radius = 8.0
	for i in 10:
		var ball := RigidBody2D.new()
		ball.name = "Ball"
		var body := CollisionShape2D.new()
		body.shape = shape
		ball.add_child(body)
		# They touch nothing but the floor: the engine does not always solve two contacts alike.
		ball.collision_layer = 2
		ball.collision_mask = 2
		ball.position = Vector2(20 + i * 38, 20 + _random.randf() * 100)
		add_child(ball)
	# Tiles with collisions.
	var tiles := TileSet.new()
	tiles.create_tile(0)
	var block := RectangleShape2D.new()
	block.extents = Vector2(8, 8)
	tiles.tile_add_shape(0, block, Transform2D(0, Vector2(8, 8)))
	var map := TileMap.new()
	map.name = "Tiles"
	map.cell_size = Vector2(16, 16)
	map.tile_set = tiles
	for x in 6:
		map.set_cell(20 + x, 15, 0)
	map.set_cell(4, 15, 0)
	add_child(map)


func _exit_tree() -> void:
	if not _guest.is_inside_tree():
		_guest.queue_free()


func _physics_process(_delta: float) -> void:
	_step += 1
	$Lift.position.y = 200 + 40 * sin(_step * 0.02)
	if _step % 12 == 0:
		call_deferred("_shoot")
	if _step % 60 == 0:
		if _guest.is_inside_tree():
			remove_child(_guest)
		else:
			add_child(_guest)


func _shoot() -> void:
	var shot := Area2D.new()
	shot.set_script(preload("res://shot.gd"))
	shot.position = $Player.position
	add_child(shot)
