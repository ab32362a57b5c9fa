# Throws a spark up twice a second; each is freed when its time is over.
extends Spatial

const EVERY := 0.5
const LIFE := 1.5

var sparks := 0
var _wait := 0.0
var _shape := SphereShape.new()
var _random := RandomNumberGenerator.new()


func _ready() -> void:
	_shape.radius = 0.2
	_random.seed = 11


func _physics_process(delta: float) -> void:
	_wait -= delta
	if _wait > 0.0:
		return
	_wait += EVERY
	sparks += 1
	var spark := RigidBody.new()
	spark.name = "Spark%d" % sparks
	var body := CollisionShape.new()
	body.shape = _shape
	spark.add_child(body)
	spark.linear_velocity = Vector3(_random.randf_range(-2, 2), 6, _random.randf_range(-2, 2))
	add_child(spark)
	var timer := Timer.new()
	timer.one_shot = true
	timer.process_mode = Timer.TIMER_PROCESS_PHYSICS
	spark.add_child(timer)
	timer.connect("timeout", spark, "queue_free")
	timer.start(LIFE)
