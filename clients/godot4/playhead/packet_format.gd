# What packets are made of: shared by those who write and who read them.
extends RefCounted

const TEXT_BYTES = 32

enum { PLACELESS, CONTROL, FLAT, SOLID }
enum { AS_BOOL, AS_NUMBER, AS_INT, AS_TEXT, AS_VECTOR2, AS_VECTOR3, AS_COLOR, AS_QUAT }

const FORMATS = ["?", "<f8", "<i8", "S32", "<f4", "<f4", "<f4", "<f4"]
const SHAPES = [[], [], [], [], [2], [3], [4], [4]]
const SIZES = [1, 8, 8, 32, 8, 12, 16, 16]
