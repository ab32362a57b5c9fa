# A type of recorded objects: a node class and a script.
extends RefCounted

var number := 0
var name := ""
var dimension := 0
var role := ""
var engine_fields := []  # [name, format, shape]
var fields := []  # script variables: [name, code, may be put back]
var unknown := []  # script variables that have had no plain value yet
var misfit := ""
var place_at := 0  # offsets in the payload
var more_at := 0
var fields_at := 0
var size := 0
var is_defined := false
var objects := {}
