# Two players, of whom one walks away along the middle row: what is told of their sight. Runs without a window:
#
#   godot --headless --path PROJECT --script res://who_sees_whom.gd
#
# PROJECT has addons/viewcell and a bundle of a terrain, res://level.vcb.
extends SceneTree

var session: ViewcellSession
var stays := Node3D.new()
var walker := Node3D.new()
var column := 0

func _initialize() -> void:
	var bundle: ViewcellBundle = load("res://level.vcb")
	if bundle == null or not bundle.is_terrain():
		printerr("res://level.vcb: expected a bundle of a terrain")
		quit(1)
		return
	session = ViewcellSession.new()
	session.bundle = bundle
	root.add_child(session)
	root.add_child(stays)
	root.add_child(walker)
	for player in [stays, walker]:
		session.watch(player, true, true)
	session.sight_may_begin.connect(func(viewer: Node3D, _target: Node3D) -> void:
		if viewer == walker:
			print("column ", column, ": the two may see each other from now on"))
	session.sight_has_ended.connect(func(viewer_id: int, _target_id: int) -> void:
		if viewer_id == walker.get_instance_id():
			print("column ", column, ": neither need hear of the other"))

func _physics_process(_delta: float) -> bool:
	if session == null:
		return true
	var size := session.bundle.size()
	var spacing := session.bundle.spacing()
	var middle := size.y / 2 * spacing.y
	stays.position = Vector3(0.0, 0.0, middle)
	walker.position = Vector3(column * spacing.x, 0.0, middle)
	session.tick()
	column += 1
	return column == size.x
