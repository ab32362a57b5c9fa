# A node that is recorded.
extends RefCounted

const PlayheadType = preload("recorded_type.gd")

var instance := 0
var id := 0
var type: PlayheadType
var script_now
var path: NodePath
var alone := ""
var at := 0  # of its packet in the image
var word := 0  # type, flags and link in its header
var seen := -1  # what the image says: 1 seen, 2 visible, 4 asleep; -1 nothing yet
var place  # and where it is: Transform3D or Transform2D
var angles := Vector3.ZERO
var bones := -1
var rig := -1
