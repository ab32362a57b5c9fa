# A frame's bytes. The image is kept: as long as the same objects are there, only what differs is
# written over.
extends "packet_format.gd"

const PlayheadType = preload("recorded_type.gd")
const PlayheadObject = preload("recorded_object.gd")
const PlayheadDrawing = preload("drawing.gd")
const NOT_VISIBLE = 33554432  # flag 2 of a packet, where it stands in the header's second word

var _types
var _frame := 0
var _count := 0
var _image := StreamPeerBuffer.new()
var _texts := {}
var _no_text := PackedByteArray()


func _init(types) -> void:
	_types = types
	_no_text.resize(TEXT_BYTES)
	for i in TEXT_BYTES:
		_no_text[i] = 0


# On a new connection frames are counted anew.
func begin() -> void:
	_frame = 0


# A frame by itself, of the time that the game's clock says.
func write(clock: float, delta: float) -> PackedByteArray:
	for key in _types.types:
		var kind: PlayheadType = _types.types[key]
		if kind.role == "skeleton":
			for instance in kind.objects:
				var skeleton = instance_from_id(instance)
				if skeleton != null and skeleton.get_bone_count() != kind.objects[instance].bones:
					_types.is_layout_old = true
	if _types.is_layout_old:
		_lay_out()
	for key in _types.types:
		var kind: PlayheadType = _types.types[key]
		if kind.objects.is_empty():
			continue
		if kind.dimension == SOLID:
			_write_solid(kind)
		else:
			_write_flat(kind)
		if kind.misfit != "":
			var example = instance_from_id(kind.objects.keys()[0])
			if example != null:
				_types.widen(kind, example)
	_frame += 1
	_image.seek(0)
	_image.put_64(_frame)
	_image.seek(24)
	_image.put_double(clock)
	_image.put_double(delta)
	return _image.data_array


func _lay_out() -> void:
	_types.is_layout_old = false
	var runs := []  # [kind, payload size, things]
	for key in _types.types:
		var kind: PlayheadType = _types.types[key]
		if kind.objects.is_empty():
			continue
		if not kind.is_defined:
			_types.define(kind)
		for instance in kind.objects:
			var thing: PlayheadObject = kind.objects[instance]
			var size := kind.size
			if kind.role == "skeleton":
				var skeleton = instance_from_id(instance)
				if skeleton != null:
					_types.define_skeleton(thing, skeleton)
				size += thing.bones * 48
			if runs.is_empty() or runs[-1][0] != kind or runs[-1][1] != size:
				runs.append([kind, size, []])
			runs[-1][2].append(thing)
	var total := 96
	_count = 0
	for run in runs:
		total += 24 + (run[1] + 47) / 8 * 8 * run[2].size()
		_count += run[2].size()
	var zeros := PackedByteArray()
	zeros.resize(total)
	_image = StreamPeerBuffer.new()
	_image.data_array = zeros
	_image.seek(0)
	while _image.get_position() + 8 <= total:
		_image.put_64(0)
	_image.seek(8)
	_image.put_64(-1)
	_image.put_64(-1)
	_image.seek(40)
	_image.put_64(120 if _count else -1)
	_image.put_64(96 if _count else -1)
	_image.put_64(-1)
	_image.put_64(total)
	_image.put_64(total)
	_image.put_32(_count)
	var at := 96
	for r in runs.size():
		var run: Array = runs[r]
		var things: Array = run[2]
		var stride: int = (run[1] + 47) / 8 * 8
		var is_newest: bool = r == runs.size() - 1
		_image.seek(at)
		_image.put_32(0 if is_newest else (24 + stride * things.size()) / 8)
		_image.put_32(things.size())
		_image.put_32(stride)
		_image.put_32(run[1])
		_image.put_32(0)
		_image.put_16(run[0].number)
		_image.put_16(0)
		at += 24
		for i in things.size():
			var next := stride / 8
			if i == things.size() - 1:
				next = 0 if is_newest else (stride + 24) / 8
			var thing: PlayheadObject = things[i]
			thing.at = at
			thing.seen = -1
			thing.place = Transform2D() if run[0].dimension != SOLID else Transform3D()
			var targetable := 0 if run[0].dimension == PLACELESS else 1
			thing.word = run[0].number | targetable << 16 | next << 32
			_image.seek(at)
			_image.put_64(thing.id)
			_image.put_64(thing.word)
			if run[0].role == "skeleton":
				_image.seek(at + 40 + run[0].size - 4)
				_image.put_32(thing.rig)
			at += stride


# A variable is written as eight bytes that say what it is, and its value. So what lies lower is
# written later, and the eight bytes are written over: three calls instead of eighteen. What has
# not changed since the frame before is in the image already.
func _write_solid(kind: PlayheadType) -> void:
	var s := _image
	var body := kind.role == "body"
	var camera := kind.role == "camera"
	var skeleton := kind.role == "skeleton"
	var has_fields := not kind.fields.is_empty()
	for thing in kind.objects.values():
		var node = instance_from_id(thing.instance)
		if node == null or not node.is_inside_tree():
			continue
		var payload: int = thing.at + 40
		if skeleton:
			_write_joints(node, payload + kind.size, thing.bones)
		if has_fields:
			s.seek(payload + kind.fields_at)
			_write_fields(kind, node)
		var place: Transform3D = node.global_transform
		var seen: int = (2 if node.visible else 0) + (1 if node.is_visible_in_tree() else 0)
		if body and node.sleeping:
			seen += 4
		if place == thing.place and seen == thing.seen and not camera and (not body or seen > 3):
			continue
		if place.basis != thing.place.basis or thing.seen < 0:
			thing.angles = PlayheadDrawing.angles_vector(place.basis)
		thing.place = place
		thing.seen = seen
		s.seek(payload + kind.more_at - 1)
		s.put_u8(1 if seen & 2 else 0)
		if body:
			s.put_u8(1 if seen & 4 else 0)
		elif camera:
			s.put_u8(1 if node.current else 0)
			s.put_float(deg_to_rad(node.fov))
		s.seek(payload + kind.place_at - 8)
		s.put_var(place)
		if body:
			s.seek(payload - 8)
			s.put_var(AABB(node.linear_velocity, node.angular_velocity))
		s.seek(payload - 32)
		s.put_var(AABB(place.origin, thing.angles))
		s.seek(payload - 32)
		s.put_64(thing.word if seen & 1 else thing.word | NOT_VISIBLE)


# Everything that has no third dimension, or no place at all.
func _write_flat(kind: PlayheadType) -> void:
	var s := _image
	var body := kind.role == "body"
	var camera := kind.role == "camera"
	var has_fields := not kind.fields.is_empty()
	for thing in kind.objects.values():
		var node = instance_from_id(thing.instance)
		if node == null or not node.is_inside_tree():
			continue
		var payload: int = thing.at + 40
		if has_fields:
			s.seek(payload + kind.fields_at)
			_write_fields(kind, node)
		if kind.dimension == PLACELESS:
			continue
		var place: Transform2D
		if kind.dimension == FLAT:
			place = node.global_transform
		else:
			place = Transform2D(node.rotation, node.global_position)
		var seen: int = (2 if node.visible else 0) + (1 if node.is_visible_in_tree() else 0)
		if body and node.sleeping:
			seen += 4
		if place == thing.place and seen == thing.seen and not camera and (not body or seen > 3):
			continue
		thing.place = place
		thing.seen = seen
		s.seek(payload + kind.more_at - 1)
		s.put_u8(1 if seen & 2 else 0)
		if body:
			s.put_u8(1 if seen & 4 else 0)
		elif camera:
			s.put_u8(1 if node.is_current() else 0)
			_write_transform2d(node.get_viewport().canvas_transform)
		var origin := place.origin
		if kind.dimension == FLAT:
			s.seek(payload + kind.place_at - 8)
			s.put_var(place)
			if body:
				s.seek(payload)
				s.put_float(node.linear_velocity.x)
				s.put_float(node.linear_velocity.y)
				s.put_float(node.angular_velocity)
		else:
			s.seek(payload)
			s.put_float(origin.x)
			s.put_float(origin.y)
		s.seek(payload - 32)
		var angles := Vector3(0.0, 0.0, place.get_rotation())
		s.put_var(AABB(Vector3(origin.x, origin.y, 0.0), angles))
		s.seek(payload - 32)
		s.put_64(thing.word if seen & 1 else thing.word | NOT_VISIBLE)


func _write_joints(skeleton: Skeleton3D, end: int, bones: int) -> void:
	var s := _image
	s.seek(end)
	for i in bones:
		var joint := skeleton.get_bone_global_pose(i)
		var x := joint.basis.x
		var y := joint.basis.y
		var z := joint.basis.z
		var o := joint.origin
		s.put_float(x.x)
		s.put_float(y.x)
		s.put_float(z.x)
		s.put_float(o.x)
		s.put_float(x.y)
		s.put_float(y.y)
		s.put_float(z.y)
		s.put_float(o.y)
		s.put_float(x.z)
		s.put_float(y.z)
		s.put_float(z.z)
		s.put_float(o.z)


func _write_transform2d(place: Transform2D) -> void:
	for column in [place.x, place.y, place.origin]:
		_image.put_float(column.x)
		_image.put_float(column.y)


func _write_fields(kind: PlayheadType, node: Object) -> void:
	var s := _image
	for field in kind.fields:
		var value = node.get(field[0])
		var type := typeof(value)
		var code: int = field[1]
		if code == AS_NUMBER:
			if type == TYPE_FLOAT or type == TYPE_INT:
				s.put_double(value)
			elif type == TYPE_BOOL:
				s.put_double(1.0 if value else 0.0)
			else:
				s.put_double(NAN)
				if type == TYPE_STRING:
					kind.misfit = field[0]
		elif code == AS_BOOL:
			s.put_u8(1 if value else 0)
			if type == TYPE_INT or type == TYPE_FLOAT or type == TYPE_STRING:
				kind.misfit = field[0]
		elif code == AS_INT:
			s.put_64(value if type == TYPE_INT else 0)
		elif code == AS_TEXT:
			if type == TYPE_NIL:
				s.put_data(_no_text)
			else:
				s.put_data(_text(value if type == TYPE_STRING else str(value)))
		elif code == AS_VECTOR3:
			if type != TYPE_VECTOR3:
				value = Vector3(NAN, NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
			s.put_float(value.z)
		elif code == AS_VECTOR2:
			if type != TYPE_VECTOR2:
				value = Vector2(NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
		elif code == AS_COLOR:
			if type != TYPE_COLOR:
				value = Color(NAN, NAN, NAN, NAN)
			s.put_float(value.r)
			s.put_float(value.g)
			s.put_float(value.b)
			s.put_float(value.a)
		else:
			if type != TYPE_QUATERNION:
				value = Quaternion(NAN, NAN, NAN, NAN)
			s.put_float(value.x)
			s.put_float(value.y)
			s.put_float(value.z)
			s.put_float(value.w)


# A text in the bytes that a field has for it, cut between characters.
func _text(text: String) -> PackedByteArray:
	var known = _texts.get(text)
	if known != null:
		return known
	var short := text.substr(0, TEXT_BYTES)
	var bytes := short.to_utf8_buffer()
	while bytes.size() > TEXT_BYTES:
		short = short.substr(0, short.length() - 1)
		bytes = short.to_utf8_buffer()
	if bytes.size() == 0:
		bytes = _no_text
	elif bytes.size() < TEXT_BYTES:
		bytes.append_array(_no_text.slice(0, TEXT_BYTES - bytes.size()))
	if _texts.size() > 1000:
		_texts.clear()
	_texts[text] = bytes
	return bytes
