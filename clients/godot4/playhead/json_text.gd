# JSON as strict readers want it, with all digits: Godot's own has six behind the point.
extends RefCounted

const SAFE = 9007199254740991  # 2^53 - 1: larger numbers are text in JSON


static func of(value) -> String:
	var type := typeof(value)
	if type == TYPE_STRING:
		return quoted(value)
	if type == TYPE_INT:
		return str(value) if abs(value) <= SAFE else "\"%d\"" % value
	if type == TYPE_FLOAT:
		if is_nan(value) or is_inf(value):
			return "null"
		if value == floor(value) and abs(value) < 1e15:
			return "%d.0" % int(value)
		var exponent := floorf(log(absf(value)) / log(10.0))
		if exponent >= -4 and exponent < 6:
			return "%.12f" % value
		return "%.14fe%d" % [value / pow(10.0, exponent), exponent]
	if type == TYPE_BOOL:
		return "true" if value else "false"
	if type == TYPE_NIL:
		return "null"
	if type == TYPE_DICTIONARY:
		var pairs := PackedStringArray()
		for key in value:
			pairs.append(quoted(str(key)) + ":" + of(value[key]))
		return "{" + ",".join(pairs) + "}"
	if type == TYPE_VECTOR2:
		return "[%s,%s]" % [of(value.x), of(value.y)]
	if type == TYPE_VECTOR3:
		return "[%s,%s,%s]" % [of(value.x), of(value.y), of(value.z)]
	if type == TYPE_ARRAY or type >= TYPE_PACKED_BYTE_ARRAY:
		var parts := PackedStringArray()
		for part in value:
			parts.append(of(part))
		return "[" + ",".join(parts) + "]"
	return quoted(str(value))


static func quoted(text: String) -> String:
	text = text.replace("\\", "\\\\").replace("\"", "\\\"")
	if text.strip_escapes() != text:
		text = text.replace("\n", "\\n").replace("\t", "\\t").strip_escapes()
	return "\"" + text + "\""
