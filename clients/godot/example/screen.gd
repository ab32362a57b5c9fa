# Four times a second tools are shown what the screen shows.
extends Node


func _physics_process(_delta: float) -> void:
	if Engine.get_physics_frames() % 15 == 0:
		Playhead.picture()
