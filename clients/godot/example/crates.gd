# Crates that fall onto each other, the same way each time.
extends Spatial

export var count := 12


func _ready() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 7
	var shape := BoxShape.new()
	shape.extents = Vector3(0.5, 0.5, 0.5)
	for i in count:
		var crate := RigidBody.new()
		crate.name = "Crate%d" % i
		var body := CollisionShape.new()
		body.shape = shape
		crate.add_child(body)
		crate.translation = Vector3(
			random.randf_range(-0.6, 0.6), 1.0 + i * 1.3, random.randf_range(-0.6, 0.6)
		)
		crate.rotation = Vector3(random.randf(), random.randf(), random.randf())
		add_child(crate)
