# A level as an OBJ file with Godot's axes, positions of players, and a digest of both.
#
# Corners are taken in the coordinates of the scene, three to a triangle, fronts clockwise as Godot draws them. In the file they
# are counter-clockwise, which `viewcell bake solid --from godot` expects. Parts are written in the order of their names.
extends RefCounted

const MATERIALS := "newmtl opaque\nd 1\nnewmtl clear\nd 0.5\n"

var triangles := 0
var _parts: Dictionary[String, PackedStringArray] = {}
var _places: Dictionary[String, bool] = {}

func place_count() -> int:
	return _places.size()

# What is not opaque stops players and hides nothing. What is two-sided hides from both.
func add(name: String, corners: PackedVector3Array, is_opaque: bool, is_two_sided := false) -> void:
	assert(corners.size() % 3 == 0, "expected three corners to a triangle")
	var lines := PackedStringArray()
	for corner in corners:
		lines.append("v %s %s %s" % [_number(corner.x), _number(corner.y), _number(corner.z)])
	lines.append("usemtl opaque" if is_opaque else "usemtl clear")
	# Relative numbers: the last corner is -1.
	var count := corners.size()
	for first in range(0, count, 3):
		var a := first - count
		lines.append("f %d %d %d" % [a, a + 2, a + 1])
		if is_two_sided:
			lines.append("f %d %d %d" % [a, a + 1, a + 2])
		triangles += 1
	if not _parts.has(name):
		_parts[name] = PackedStringArray()
	_parts[name].append_array(lines)

# A position between the feet of a player who stands there.
func add_place(at: Vector3) -> void:
	_places["%s,%s,%s" % [_number(at.x), _number(at.y), _number(at.z)]] = true

func obj() -> String:
	var names := _parts.keys()
	names.sort()
	var texts := PackedStringArray(["mtllib level.mtl"])
	for name: String in names:
		texts.append("\n".join(_parts[name]))
	return "\n".join(texts) + "\n"

func places() -> String:
	var lines := _places.keys()
	lines.sort()
	return "\n".join(PackedStringArray(lines)) + "\n"

# Of the level, the places and the options of the bake.
func digest(options: String) -> String:
	return "\n\n".join(PackedStringArray([obj(), places(), options])).sha256_text()

# Writes level.obj, level.mtl and places.csv into a folder; says why it could not, or nothing.
func write(folder: String) -> String:
	var files := {"level.obj": obj(), "level.mtl": MATERIALS, "places.csv": places()}
	for name: String in files:
		var file := FileAccess.open(folder.path_join(name), FileAccess.WRITE)
		if file == null or not file.store_string(files[name]):
			return "%s: cannot be written: %s" % [folder.path_join(name), error_string(FileAccess.get_open_error())]
		file.close()
	return ""

# To a nanometre, whatever the locale.
static func _number(of: float) -> String:
	return "%.9f" % of
