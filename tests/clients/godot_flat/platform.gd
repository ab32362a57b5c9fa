# Moved by the physics engine after it has moved itself.
extends KinematicBody2D

var phase := 0.0


func _physics_process(delta: float) -> void:
	phase += delta
	position = Vector2(200 + 50 * sin(phase), 220)
