# The world that stands: bodies that never move, and have no script, would fill the recording for
# nothing. They are drawn once.
extends RefCounted

const PlayheadDrawing = preload("drawing.gd")
const MOST_DRAWN = 400  # pieces of it

var bodies := {}  # instance id -> [transform, pieces drawn]

var _connection
var _ids
var _drawn := 0


func _init(connection, ids) -> void:
	_connection = connection
	_ids = ids


func has(instance: int) -> bool:
	return bodies.has(instance)


# It is drawn when it is looked at for the first time.
func add(instance: int) -> void:
	bodies[instance] = null


func remove(instance: int) -> void:
	if bodies[instance] != null and bodies[instance][1] > 0 and _ids.has(instance):
		_drawn -= bodies[instance][1]
		_connection.say({"do": "despawn", "object": _ids.id_of(instance_from_id(instance))})
	bodies.erase(instance)


func clear() -> void:
	bodies.clear()
	_drawn = 0


# Whether a body stands elsewhere than it was drawn.
func has_moved(node: Node) -> bool:
	var known = bodies[node.get_instance_id()]
	if known != null:
		return known[0] != node.global_transform and not node is TileMap
	bodies[node.get_instance_id()] = [node.global_transform, 0]
	if node is TileMap:
		_draw_tiles(node)
	elif node is StaticBody3D:
		_draw_solid(node)
	else:
		_draw_flat(node)
	return false


func _draw_piece(node: Node, shape: String, points: Array, more := {}) -> void:
	if _drawn >= MOST_DRAWN or points.is_empty():
		return
	_drawn += 1
	var known: Array = bodies[node.get_instance_id()]
	known[1] += 1
	var latch := "static/%d/%d" % [_ids.id_of(node), known[1]]
	var drawing := PlayheadDrawing.statement(
		shape, points, Color(0.5, 0.5, 0.5), _ids.id_of(node), "world", latch, more
	)
	_connection.say(drawing)


func _draw_solid(body: StaticBody3D) -> void:
	for owner in body.get_shape_owners():
		var place: Transform3D = body.global_transform * body.shape_owner_get_transform(owner)
		for i in body.shape_owner_get_shape_count(owner):
			var shape := body.shape_owner_get_shape(owner, i)
			var middle := Vector3.ZERO
			var size := Vector3.ZERO
			if shape is BoxShape3D:
				size = shape.size
			elif shape is SphereShape3D:
				var radius: float = shape.radius * place.basis.get_scale().x
				_draw_piece(body, "sphere", [place.origin], {"size": [radius, radius, radius]})
			elif shape is CapsuleShape3D:
				var width: float = shape.radius * 2.0
				size = Vector3(width, shape.height, width)
			elif shape is CylinderShape3D:
				size = Vector3(shape.radius * 2.0, shape.height, shape.radius * 2.0)
			elif shape is ConvexPolygonShape3D and shape.points.size() > 0:
				var box := AABB(shape.points[0], Vector3.ZERO)
				for point in shape.points:
					box = box.expand(point)
				middle = box.position + box.size * 0.5
				size = box.size
			elif shape is ConcavePolygonShape3D:
				var ends := []
				var faces: PackedVector3Array = shape.get_faces()
				for f in min(faces.size() / 3, 600):
					for corner in 3:
						ends.append(place * (faces[f * 3 + corner]))
						ends.append(place * (faces[f * 3 + (corner + 1) % 3]))
				_draw_piece(body, "lines", ends)
			if size != Vector3.ZERO:
				var edges := size * place.basis.get_scale().abs()
				var angles := PlayheadDrawing.angles(place.basis)
				var more := {"size": PlayheadDrawing.point(edges), "angles": angles}
				_draw_piece(body, "box", [place * (middle)], more)


func _draw_flat(body: StaticBody2D) -> void:
	for owner in body.get_shape_owners():
		var place: Transform2D = body.global_transform * body.shape_owner_get_transform(owner)
		for i in body.shape_owner_get_shape_count(owner):
			var shape := body.shape_owner_get_shape(owner, i)
			var corners := []
			if shape is RectangleShape2D:
				var half: Vector2 = shape.size * 0.5
				corners = [-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)]
			elif shape is CapsuleShape2D:
				var half := Vector2(shape.radius, shape.height * 0.5)
				corners = [-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)]
			elif shape is ConvexPolygonShape2D:
				corners = Array(shape.points)
			elif shape is CircleShape2D:
				var radius: float = shape.radius * place.get_scale().x
				_draw_piece(body, "sphere", [place.origin], {"size": [radius, radius, radius]})
			elif shape is SegmentShape2D:
				_draw_piece(body, "line", [place * (shape.a), place * (shape.b)])
			elif shape is ConcavePolygonShape2D:
				var ends := []
				for point in shape.segments:
					ends.append(place * (point))
				_draw_piece(body, "lines", ends)
			for c in corners.size():
				corners[c] = place * (corners[c])
			_draw_piece(body, "polygon", corners)


# Tiles with collisions, as one polygon for each row of neighbours.
func _draw_tiles(map: TileMap) -> void:
	if map.tile_set == null or map.tile_set.tile_shape != TileSet.TILE_SHAPE_SQUARE:
		return
	var solid := {}
	for layer in map.get_layers_count():
		for cell in map.get_used_cells(layer):
			var tile := map.get_cell_tile_data(layer, cell)
			for physics in map.tile_set.get_physics_layers_count():
				if tile != null and tile.get_collision_polygons_count(physics) > 0:
					solid[cell] = true
	for cell in solid:
		if solid.has(cell - Vector2i(1, 0)):
			continue
		var end: Vector2i = cell + Vector2i(1, 0)
		while solid.has(end):
			end.x += 1
		var corners := [cell, end, end + Vector2i(0, 1), cell + Vector2i(0, 1)]
		for c in 4:
			corners[c] = map.global_transform * (Vector2(corners[c]) * Vector2(map.tile_set.tile_size))
		_draw_piece(map, "polygon", corners)
