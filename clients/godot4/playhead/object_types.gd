# The types of what is recorded: which fields they have, and how they are defined for the service.
extends "packet_format.gd"

const PlayheadType = preload("recorded_type.gd")
const PlayheadObject = preload("recorded_object.gd")
const MOST_FIELDS = 48
const ROLES = {
	"origin": "position", "linear_velocity": "velocity", "velocity": "velocity", "shown": "visible",
	"hp": "health", "health": "health", "state": "state", "fov": "fov", "joints": "joints",
}

var types := {}  # node class and script -> PlayheadType
var layouts := {}  # type number -> [type, its fields], also of former layouts
var is_layout_old := true  # the next frame has other packets than the one before

var _connection
var _warnings
var _names := {}  # type name -> key of its type
var _next_number := 32
var _scripts := {}  # script -> its variables: [name, type, may be put back]
var _rigs := {}  # skeleton as text -> number
var _rigs_defined := {}


func _init(connection, warnings) -> void:
	_connection = connection
	_warnings = warnings


# On a new connection everything is defined anew.
func begin() -> void:
	is_layout_old = true
	_rigs_defined.clear()
	for key in types:
		types[key].objects.clear()
		types[key].is_defined = false


func named(name: String) -> PlayheadType:
	return types.get(_names.get(name, ""))


# The type of a node: its class and its script. `alone` makes one of its own for it.
func type_of(node: Node, alone: String) -> PlayheadType:
	var script = node.get_script()
	var where := ""
	if script != null:
		where = script.resource_path if script.resource_path else str(script.get_instance_id())
	var key: String = node.get_class() + "|" + where + "|" + alone
	var kind: PlayheadType = types.get(key)
	if kind != null:
		widen(kind, node)
		return kind
	kind = PlayheadType.new()
	types[key] = kind
	kind.name = _type_name(node, where, key, alone)
	kind.dimension = PLACELESS
	if node is Node3D:
		kind.dimension = SOLID
	elif node is Node2D:
		kind.dimension = FLAT
	elif node is Control:
		kind.dimension = CONTROL
	if node is RigidBody3D or node is RigidBody2D:
		kind.role = "body"
	elif node is Skeleton3D:
		kind.role = "skeleton"
	elif node is Camera3D or node is Camera2D:
		kind.role = "camera"
	_engine_fields(kind)
	for variable in _variables(node):
		kind.unknown.append(variable)
	widen(kind, node)
	if kind.number == 0:
		_renumber(kind)
	return kind


func _type_name(node: Node, where: String, key: String, alone: String) -> String:
	var base: String = node.get_class()
	if "::" in where or not "/" in where:
		where = ""
	if where != "":
		base = where.get_file().get_basename()
	var tries := [base, where.get_base_dir().get_file() + "/" + base, base + " " + node.get_class()]
	if alone != "":
		tries = [base + " " + alone]
	for name in tries:
		if not _names.has(name) and not name.begins_with(".") and not name.begins_with("/"):
			_names[name] = key
			return name
	var number := 2
	while _names.has("%s %d" % [base, number]):
		number += 1
	_names["%s %d" % [base, number]] = key
	return "%s %d" % [base, number]


# What the engine knows of such a node; the order is that of _write_* and _read.
func _engine_fields(kind: PlayheadType) -> void:
	var fields := kind.engine_fields
	if kind.dimension == SOLID:
		if kind.role == "body":
			fields.append(["linear_velocity", "<f4", [3]])
			fields.append(["angular_velocity", "<f4", [3]])
			kind.place_at = 24
		fields.append(["basis", "<f4", [3, 3]])
		fields.append(["origin", "<f4", [3]])
		kind.more_at = kind.place_at + 48
	elif kind.dimension == FLAT:
		if kind.role == "body":
			fields.append(["linear_velocity", "<f4", [2]])
			fields.append(["angular_velocity", "<f4", []])
			kind.place_at = 12
		fields.append(["axes", "<f4", [2, 2]])
		fields.append(["origin", "<f4", [2]])
		kind.more_at = kind.place_at + 24
	elif kind.dimension == CONTROL:
		fields.append(["origin", "<f4", [2]])
		kind.more_at = 8
	if kind.dimension != PLACELESS:
		fields.append(["shown", "?", []])
		kind.more_at += 1
	kind.fields_at = kind.more_at
	if kind.role == "body":
		fields.append(["sleeping", "?", []])
		kind.fields_at += 1
	elif kind.role == "camera" and kind.dimension == SOLID:
		fields.append(["current", "?", []])
		fields.append(["fov", "<f4", []])
		kind.fields_at += 5
	elif kind.role == "camera":
		fields.append(["current", "?", []])
		fields.append(["view", "<f4", [3, 2]])
		kind.fields_at += 25


# The variables of a node that are worth a look: [name, declared type, may be put back].
func _variables(node: Node) -> Array:
	var script = node.get_script()
	var found := []
	if script != null:
		if not _scripts.has(script):
			_scripts[script] = _declared_variables(node)
		found = _scripts[script]
	if not node.has_method("playhead_fields"):
		return found
	var chosen := []
	for name in node.call("playhead_fields"):
		var variable := [str(name), TYPE_NIL, false]
		for known in found:
			if known[0] == variable[0]:
				variable = known
		chosen.append(variable)
	return chosen


# A variable with a getter is left alone, one with a setter is not put back: both would run the
# game's code. Only the source tells; without it no script variable is recorded unless it is asked
# for by `playhead_fields`.
func _declared_variables(node: Node) -> Array:
	var source := ""
	var script = node.get_script()
	while script != null:
		if not script is GDScript or not script.has_source_code():
			return []
		source += script.source_code + "\n"
		script = script.get_base_script()
	var guarded := {}  # name -> whether it has a getter
	var name_above := ""
	for line in source.split("\n"):
		var words: PackedStringArray = line.strip_edges().replace("(", " ").replace(":", " ").split(" ", false)
		if words.is_empty():
			continue
		if line.begins_with("var ") or (line.begins_with("@") and " var " in line):
			var at := words.find("var")
			name_above = words[at + 1].split("=")[0] if at + 1 < words.size() else ""
			# `var hp: set = set_hp, get = hp_of`
			if "set" in words or "get" in words:
				guarded[name_above] = "get" in words
		elif name_above != "" and line.begins_with("\t") and words[0] in ["set", "get"]:
			# `var hp:` with `set(value):` or `get:` in the lines below
			guarded[name_above] = guarded.get(name_above, false) or words[0] == "get"
		elif not line.begins_with("\t"):
			name_above = ""
	var declared := []
	for property in node.get_property_list():
		var name: String = property["name"]
		if property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE and not guarded.get(name, false):
			declared.append([name, property["type"], not guarded.has(name)])
	return declared


# Take up variables whose values have become plain, and give others more room.
func widen(kind: PlayheadType, node: Node) -> void:
	var changed := false
	for variable in kind.unknown.duplicate():
		if kind.fields.size() >= MOST_FIELDS:
			_warnings.warn("%s: only %d of its variables are recorded" % [kind.name, MOST_FIELDS])
			kind.unknown.clear()
			break
		var type: int = variable[1] if variable[1] != TYPE_NIL else typeof(node.get(variable[0]))
		var code := _code_of(type, variable[1] != TYPE_NIL)
		if code >= 0:
			kind.unknown.erase(variable)
			kind.fields.append([variable[0], code, variable[2]])
			changed = true
		elif type != TYPE_NIL and variable[1] != TYPE_NIL:
			kind.unknown.erase(variable)  # it will never be plain
	if kind.misfit != "":
		for field in kind.fields:
			if field[0] == kind.misfit:
				field[1] = AS_NUMBER if field[1] == AS_BOOL else AS_TEXT
				changed = true
		kind.misfit = ""
	if changed:
		_renumber(kind)


func _code_of(type: int, declared: bool) -> int:
	match type:
		TYPE_BOOL:
			return AS_BOOL
		TYPE_INT:  # one that is not declared may become a fraction
			return AS_INT if declared else AS_NUMBER
		TYPE_FLOAT:
			return AS_NUMBER
		TYPE_STRING, TYPE_STRING_NAME:
			return AS_TEXT
		TYPE_VECTOR2:
			return AS_VECTOR2
		TYPE_VECTOR3:
			return AS_VECTOR3
		TYPE_COLOR:
			return AS_COLOR
		TYPE_QUATERNION:
			return AS_QUAT
	return -1


# Another layout is another number under the same name. Packets of the former can still be read.
func _renumber(kind: PlayheadType) -> void:
	kind.number = _next_number
	_next_number += 1
	kind.size = kind.fields_at
	for field in kind.fields:
		kind.size += SIZES[field[1]]
	if kind.role == "skeleton":
		kind.size += 4
	kind.is_defined = false
	layouts[kind.number] = [kind, kind.fields.duplicate(true)]
	is_layout_old = true


func define(kind: PlayheadType) -> void:
	kind.is_defined = true
	var fields := kind.engine_fields.duplicate()
	var taken := {"joints": true, "skeleton": true}
	for field in fields:
		taken[field[0]] = true
	for field in kind.fields:
		var name: String = field[0]
		while taken.has(name):
			name += "_"
		taken[name] = true
		fields.append([name, FORMATS[field[1]], SHAPES[field[1]]])
	var ask := {"do": "define_type", "number": kind.number, "name": kind.name, "fields": fields}
	var length := "m" if kind.dimension == SOLID else "px"
	ask["units"] = {}
	ask["roles"] = {}
	for field in fields:
		if ROLES.has(field[0]):
			ask["roles"][field[0]] = ROLES[field[0]]
	for field in kind.engine_fields:
		match field[0]:
			"origin":
				ask["units"]["origin"] = length
			"linear_velocity":
				ask["units"]["linear_velocity"] = length + "/s"
			"angular_velocity":
				ask["units"]["angular_velocity"] = "rad/s"
			"fov":
				ask["units"]["fov"] = "rad"
	if kind.role == "skeleton":
		fields.append(["skeleton", "<i4", []])
		ask["tail"] = "<f4"
		ask["tail_shape"] = [3, 4]
		ask["tail_name"] = "joints"
		ask["space"] = "model"
		ask["roles"]["joints"] = "joints"
		ask["channels"] = ["animation"]
	_connection.request(ask, "type")


func define_skeleton(thing: PlayheadObject, skeleton: Skeleton3D) -> void:
	thing.bones = skeleton.get_bone_count()
	var joints := []
	var parents := []
	for i in thing.bones:
		joints.append(skeleton.get_bone_name(i))
		parents.append(skeleton.get_bone_parent(i))
	var key := str(joints) + str(parents)
	if not _rigs.has(key):
		_rigs[key] = _rigs.size()
	thing.rig = _rigs[key]
	var name := "%d/%d" % [thing.type.number, thing.rig]
	if not _rigs_defined.has(name):
		_rigs_defined[name] = true
		_connection.request({
			"do": "define_skeleton", "type": thing.type.number, "number": thing.rig,
			"name": "%s %d" % [skeleton.name, thing.rig], "joints": joints, "parents": parents,
		}, "skeleton")
