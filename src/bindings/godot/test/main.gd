# Asks the table's questions in the browser, and tells the page what was found.
extends Node

const ViewcellWeb := preload("res://addons/viewcell_web/viewcell_web.gd")

func _ready() -> void:
	var told := {}
	var bundle := ViewcellWeb.new()
	bundle.open_bytes(FileAccess.get_file_as_bytes("res://level.vcb"))
	told.error = await bundle.opened
	told.shape = [bundle.is_open(), bundle.is_terrain(), bundle.place_count(), bundle.size().x, bundle.size().y]
	var pairs := FileAccess.get_file_as_bytes("res://questions").to_int64_array()
	told.nanoseconds = 1e18
	for round in 5:
		var begun := Time.get_ticks_usec()
		var answers := bundle.visible_pairs(pairs)
		told.nanoseconds = minf(told.nanoseconds, (Time.get_ticks_usec() - begun) * 2000.0 / pairs.size())
		told.answers = Marshalls.raw_to_base64(answers)
	told.one = []
	for i in 20:
		told.one.append(int(bundle.visible(pairs[2 * i], pairs[2 * i + 1])))
	# Places that are none.
	told.nowhere = Marshalls.raw_to_base64(bundle.visible_pairs(PackedInt64Array([-1, 0, 0, bundle.place_count(), 0, 0])))
	told.odd = bundle.visible_pairs(PackedInt64Array([0, 0, 0])).size()
	told.located = []
	told.off = [bundle.locate(Vector3(1e9, 1e9, 1e9)), bundle.locate(Vector3(NAN, NAN, NAN)), bundle.locate(Vector3(-INF, INF, 0.0))]
	if bundle.is_terrain():
		var apart := bundle.spacing()
		var sides := bundle.size()
		for row in sides.y:
			for column in sides.x:
				told.located.append(bundle.locate(Vector3(column * apart.x, 0.0, row * apart.y)))
		for at in [Vector2(-1, 0), Vector2(0, 1000)]:
			told.off.append(bundle.locate(Vector3(at.x * apart.x, 0.0, at.y * apart.y)))
	# The L of tests/solid/axes.rs: corner, end of the short arm, and of the long one, as Godot has them.
	told.arms = []
	if bundle.is_solid():
		var corner := Vector3(1.5, 0.1, -1.5)
		var short := Vector3(1.5, 0.1, -7.0)
		var long := Vector3(18.0, 0.1, -1.5)
		for pair in [[corner, short], [long, corner], [short, long]]:
			told.arms.append(bundle.visible_points(pair[0], pair[1]))
			told.arms.append(bundle.visible_within(pair[0], pair[1], 0.5, 0.5))
		told.arms.append(bundle.visible_within(short, long, 8.0, 8.0))
		for at in [corner, short, long]:
			told.arms.append(bundle.bounds(bundle.locate(at)).grow(0.001).has_point(at))
	# Many at once are none of each other's business.
	told.others = []
	var others := []
	for i in 20:
		var other := ViewcellWeb.new()
		other.open_bytes(FileAccess.get_file_as_bytes("res://level.vcb"))
		told.others.append(await other.opened)
		others.append(other)
	for other in others:
		told.others.append(other.place_count() - bundle.place_count())
		other.close()
		other.close()
	bundle.close()
	told.closed = [bundle.is_open(), bundle.visible(0, 0), bundle.locate(Vector3.ZERO), bundle.place_count()]
	told.refused = []
	var whole := FileAccess.get_file_as_bytes("res://level.vcb")
	for bytes in [PackedByteArray([1, 2, 3]), FileAccess.get_file_as_bytes("res://nothing.vcb"), whole.slice(0, whole.size() - 1)]:
		bundle.open_bytes(bytes)
		told.refused.append([await bundle.opened, bundle.error_text(), bundle.is_open(), bundle.visible(0, 0)])
	var astray := ViewcellWeb.new()
	astray.package = "viewcell/nothing.js"
	astray.open_bytes(whole)
	told.astray = await astray.opened
	# It goes on, and opens what is whole.
	bundle.open_bytes(whole)
	told.again = [await bundle.opened, int(bundle.visible(pairs[0], pairs[1]))]
	JavaScriptBridge.eval("fetch('/told', { method: 'POST', body: %s })" % JSON.stringify(JSON.stringify(told)))
