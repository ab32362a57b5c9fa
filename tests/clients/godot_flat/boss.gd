# Pauses the game now and then, and starts the level anew. It runs also while the tree is paused,
# and has loops that wait for timers and frames.
extends Node

var steps := 0
var standing := 0
var timer_ticks := 0
var frame_ticks := 0
var setter_calls := 0


func _ready() -> void:
	pause_mode = PAUSE_MODE_PROCESS
	_tick_by_timer()
	_tick_by_frame()


func _tick_by_timer() -> void:
	while true:
		yield(get_tree().create_timer(0.1), "timeout")
		timer_ticks += 1


func _tick_by_frame() -> void:
	while true:
		yield(get_tree(), "physics_frame")
		frame_ticks += 1


func _physics_process(_delta: float) -> void:
	steps += 1
	if standing > 0:
		standing -= 1
		if standing == 0:
			get_tree().paused = false
	elif steps % 150 == 0:
		standing = 20
		get_tree().paused = true
	if steps == 400:
		get_tree().change_scene("res://level.tscn")
