# Flies on, and is freed when it is out of sight.
extends Area2D

var speed = 6
var target = null
var _age := 0


func _ready() -> void:
	var eye := VisibilityNotifier2D.new()
	eye.rect = Rect2(-4, -4, 8, 8)
	add_child(eye)
	eye.connect("screen_exited", self, "queue_free")


func _physics_process(_delta: float) -> void:
	_age += 1
	position.x += speed
	speed += 0.125
	if _age == 30:
		target = Vector2(position.x + 100, 5)
	if _age > 90:
		queue_free()
