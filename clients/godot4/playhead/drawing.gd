# Debug drawings, as they are stated.
extends RefCounted


static func statement(
	shape: String, points: Array, color: Color, id: int, channel: String, latch: String, more := {}
) -> Dictionary:
	var drawing := {
		"do": "draw", "shape": shape, "points": [], "object": id,
		"color": [color.r8, color.g8, color.b8],
	}
	for corner in points:
		drawing["points"].append(point(corner))
	for key in more:
		drawing[key] = more[key]
	if channel != "":
		drawing["channel"] = channel
	if latch != "":
		drawing["latch"] = latch
	return drawing


static func point(place) -> Array:
	if place is Vector2:
		return [place.x, place.y, 0.0]
	return [place.x, place.y, place.z]


static func angles(basis: Basis) -> Array:
	var turned := angles_vector(basis)
	return [turned.x, turned.y, turned.z]


# About z, x and y, in this order; a scale is no rotation.
static func angles_vector(basis: Basis) -> Vector3:
	var volume := basis.determinant()
	if volume < 0.0:
		basis = Basis(-basis.x, -basis.y, -basis.z)
		volume = -volume
	if not volume > 1e-12:
		return Vector3.ZERO
	var euler := basis.orthonormalized().get_euler()
	return Vector3(euler.z, euler.x, euler.y)
