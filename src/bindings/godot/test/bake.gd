# A scene of every kind of node that hides, exported in the engine, baked by the page's server, and asked with positions of the scene;
# and players who are hidden from two clients by MultiplayerSynchronizers. Tells the page what was found.
extends Node

const SceneGeometry := preload("res://addons/viewcell/scene_geometry.gd")
const LevelExport := preload("res://addons/viewcell/level_export.gd")
const BakeRun := preload("res://addons/viewcell/bake_run.gd")
const Visibility := preload("res://addons/viewcell/viewcell_visibility.gd")
const ViewcellWeb := preload("res://addons/viewcell_web/viewcell_web.gd")
const Loopback := preload("res://loopback.gd")

const CORNER := Vector3(1.5, 0.1, -1.5)
const SHORT := Vector3(1.5, 0.1, -7.0)
const WEST := Vector3(9.0, 0.1, -1.5)
const EAST := Vector3(18.0, 0.1, -1.5)

var told := {}

func _ready() -> void:
	var scene := _scene()
	add_child(scene)
	await get_tree().process_frame
	await get_tree().process_frame
	var found := SceneGeometry.new()
	told.why = found.collect(scene)
	told.notes = Array(found.notes)
	told.triangles = found.level.triangles
	told.places = found.level.places()
	told.obj = found.level.obj()
	var again := SceneGeometry.new()
	again.collect(scene)
	var digest := found.level.digest("options")
	told.digests = [digest == again.level.digest("options"), digest != again.level.digest("others")]
	_add_box(scene, Vector3(10, 0.2, -1), Vector3(0.4, 0.4, 0.4))
	var chair := SceneGeometry.new()
	chair.collect(scene)
	told.digests.append(digest != chair.level.digest("options"))
	told.refused = [SceneGeometry.new().collect(Node3D.new()), SceneGeometry.new().collect(_add_box(Node3D.new(), Vector3.ZERO, Vector3.ONE).get_parent())]
	_terrains()
	_progress()

	var bytes := await _post("/bake", JSON.stringify({"obj": told.obj, "mtl": LevelExport.MATERIALS, "places": told.places}))
	var bundle := ViewcellWeb.new()
	bundle.open_bytes(bytes)
	told.error = await bundle.opened
	if told.error == "":
		_ask(bundle)
		await _players(bundle)
	await _post("/told", JSON.stringify(told))

func _post(path: String, body: String) -> PackedByteArray:
	var request := HTTPRequest.new()
	add_child(request)
	var origin: String = JavaScriptBridge.eval("location.origin", true)
	request.request(origin + path, PackedStringArray(["Content-Type: application/json"]), HTTPClient.METHOD_POST, body)
	var result: Array = await request.request_completed
	return result[3]

# An L of 20 m to the east and 8 m to the north, 3 m wide and high; in the long arm a screen that hides from the west alone.
func _scene() -> Node3D:
	var scene := Node3D.new()
	_add_box(scene, Vector3(10, -0.5, -4), Vector3(22, 1, 10))
	# The ceiling of a MultiMesh: two halves.
	var halves := MultiMeshInstance3D.new()
	halves.multimesh = MultiMesh.new()
	halves.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	halves.multimesh.mesh = _box(Vector3(11, 1, 10))
	halves.multimesh.instance_count = 2
	halves.multimesh.set_instance_transform(0, Transform3D(Basis.IDENTITY, Vector3(4.5, 3.5, -4)))
	halves.multimesh.set_instance_transform(1, Transform3D(Basis.IDENTITY, Vector3(15.5, 3.5, -4)))
	halves.name = "ceiling"
	scene.add_child(halves)
	# South and west walls of a GridMap, of blocks of 1 x 3 x 1.
	var grid := GridMap.new()
	grid.cell_size = Vector3(1, 3, 1)
	grid.mesh_library = MeshLibrary.new()
	grid.mesh_library.create_item(7)
	grid.mesh_library.set_item_mesh(7, _box(Vector3(1, 3, 1)))
	grid.name = "grid"
	for x in range(-1, 21):
		grid.set_cell_item(Vector3i(x, 0, 0), 7)
	for z in range(-9, 0):
		grid.set_cell_item(Vector3i(-1, 0, z), 7)
	scene.add_child(grid)
	_add_box(scene, Vector3(1.5, 1.5, -8.5), Vector3(4, 3, 1))
	_add_box(scene, Vector3(20.5, 1.5, -1.5), Vector3(1, 3, 4))
	# The inner corner: CSG, of two boxes, and mirrored.
	var csg := CSGCombiner3D.new()
	csg.name = "csg"
	csg.scale = Vector3(-1, 1, 1)
	for half in [[Vector3(-7.5, 1.5, -6), Vector3(9, 3, 6)], [Vector3(-16, 1.5, -6), Vector3(10, 3, 6)]]:
		var box := CSGBox3D.new()
		box.position = half[0]
		box.size = half[1]
		csg.add_child(box)
	scene.add_child(csg)
	# A mirrored transform: Godot draws the sides that were the fronts. From the west clockwise: south, up, north.
	var screen := MeshInstance3D.new()
	screen.name = "screen"
	screen.mesh = _quad()
	screen.transform = Transform3D(Basis.from_scale(Vector3(1, 1, -1)), Vector3(12, 0, 0))
	scene.add_child(screen)

	# What is to hide nobody: it moves, is glass, is not drawn (from afar), or is left out.
	var block := func(about: String) -> MeshInstance3D:
		var made := _add_box(scene, Vector3(6, 1.5, -1.5), Vector3(0.5, 3, 3))
		made.name = about
		return made
	var cart := CharacterBody3D.new()
	cart.name = "cart"
	_add_box(cart, Vector3(6, 1.5, -1.5), Vector3(0.5, 3, 3))
	scene.add_child(cart)
	var glass := StandardMaterial3D.new()
	glass.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	var window := _add_box(scene, Vector3(6, 1.5, -1.5), Vector3(0.02, 3, 3))
	window.material_override = glass
	var shaded := _add_box(scene, Vector3(6.2, 1.5, -1.5), Vector3(0.02, 3, 3))
	shaded.material_override = ShaderMaterial.new()
	_add_box(scene, Vector3(6.4, 1.5, -1.5), Vector3(0.02, 3, 3)).visibility_range_end = 50.0
	_add_box(scene, Vector3(6.6, 1.5, -1.5), Vector3(0.02, 3, 3)).gi_mode = GeometryInstance3D.GI_MODE_DYNAMIC
	block.call("hidden").visible = false
	block.call("shadow").cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_SHADOWS_ONLY
	block.call("debug").add_to_group("viewcell_ignore")
	block.call("door")
	var player := AnimationPlayer.new()
	var library := AnimationLibrary.new()
	var opens := Animation.new()
	opens.track_set_path(opens.add_track(Animation.TYPE_POSITION_3D), "door:position")
	library.add_animation("opens", opens)
	player.add_animation_library("", library)
	scene.add_child(player)

	var spawn := Marker3D.new()
	spawn.position = Vector3(1.5, 0, -1.5)
	spawn.add_to_group("viewcell_spawn")
	scene.add_child(spawn)
	# East of the windows, and of the screen.
	var region := NavigationRegion3D.new()
	region.navigation_mesh = NavigationMesh.new()
	region.navigation_mesh.vertices = PackedVector3Array([
		Vector3(8, 0, -1), Vector3(9, 0, -2), Vector3(10, 0, -1), Vector3(15, 0, -1), Vector3(16, 0, -2), Vector3(17, 0, -1)])
	region.navigation_mesh.add_polygon(PackedInt32Array([0, 1, 2]))
	region.navigation_mesh.add_polygon(PackedInt32Array([3, 4, 5]))
	scene.add_child(region)
	return scene

static func _box(size: Vector3) -> BoxMesh:
	var mesh := BoxMesh.new()
	mesh.size = size
	return mesh

static func _add_box(to: Node, at: Vector3, size: Vector3) -> MeshInstance3D:
	var instance := MeshInstance3D.new()
	instance.mesh = _box(size)
	instance.position = at
	to.add_child(instance)
	return instance

# 3 x 3 m at x = 0, its front to the west: seen from there z grows to the right.
static func _quad() -> ArrayMesh:
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = PackedVector3Array([Vector3(0, 0, 0), Vector3(0, 3, 0), Vector3(0, 3, 3), Vector3(0, 0, 3)])
	arrays[Mesh.ARRAY_INDEX] = PackedInt32Array([0, 1, 2, 0, 2, 3])
	var mesh := ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	return mesh

# Heights: a shape of 2 x 2 squares, and a region of Terrain3D by a stand-in, with a hole.
func _terrains() -> void:
	var scene := Node3D.new()
	add_child(scene)
	var shape := CollisionShape3D.new()
	var map := HeightMapShape3D.new()
	map.map_width = 3
	map.map_depth = 2
	map.map_data = PackedFloat32Array([0, 0, 0, 0, 5, 0])
	shape.shape = map
	shape.position = Vector3(100, 1, 0)
	scene.add_child(shape)
	var found := SceneGeometry.new()
	found.collect(scene)
	told.heights = found.level.obj()
	scene.remove_child(shape)
	var terrain := Terrain.new()
	scene.add_child(terrain)
	found = SceneGeometry.new()
	found.collect(scene)
	told.terrain3d = found.level.obj()
	scene.queue_free()

# What the add-on Terrain3D shows of itself, by its documentation.
class Terrain extends Node3D:
	var vertex_spacing := 2.0
	var region_size := 2
	var data := Data.new()

class Data extends RefCounted:
	func get_region_locations() -> Array[Vector2i]:
		return [Vector2i(-1, 0)]

	func get_height(at: Vector3) -> float:
		return NAN if at.x == 0.0 and at.z == 0.0 else at.x + 10.0 * at.z

func _progress() -> void:
	var run := BakeRun.new()
	run.read("a note\n{\"stage\":\"visi")
	run.read("bility\",\"unit\":\"pairs\",\"done\":30,\"total\":120}\nanother\n")
	told.progress = [run.stage, run.done, run.words]

func _ask(bundle: ViewcellWeb) -> void:
	told.right = _answers(bundle, [0, 1, 2], 0)
	told.wrong = []
	for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]:
		for signs in 8:
			if order != [0, 1, 2] or signs != 0:
				told.wrong.append(_answers(bundle, order, signs))
	told.screen = [_sees(bundle, WEST, EAST), _sees(bundle, EAST, WEST)]

static func _sees(bundle: ViewcellWeb, from: Vector3, to: Vector3) -> bool:
	var places := [bundle.locate(from), bundle.locate(to)]
	return places[0] < 0 or places[1] < 0 or bundle.visible(places[0], places[1])

# The corner sees both arms; the arms do not see each other. Positions are turned first.
func _answers(bundle: ViewcellWeb, order: Array, signs: int) -> bool:
	var at := []
	for point: Vector3 in [CORNER, SHORT, WEST]:
		var turned := Vector3.ZERO
		for k in 3:
			turned[k] = point[order[k]] * (-1.0 if signs >> k & 1 else 1.0)
		at.append(turned)
	return bundle.visible_points(at[0], at[1]) and bundle.visible_points(at[0], at[2]) and not bundle.visible_points(at[1], at[2])

# A server and two clients in one process, each with its own SceneMultiplayer: who is told of whom.
func _players(bundle: ViewcellWeb) -> void:
	var hub := {}
	var sides := {}
	for peer: int in [1, 2, 3]:
		var side := Node3D.new()
		side.name = "side%d" % peer
		add_child(side)
		var api := SceneMultiplayer.new()
		get_tree().set_multiplayer(api, side.get_path())
		var link := Loopback.new()
		link.join(peer, hub)
		api.multiplayer_peer = link
		sides[peer] = side
	for peer: int in [2, 3]:
		hub[1].peer_connected.emit(peer)
		hub[peer].peer_connected.emit(1)
	var visibility: Visibility
	for peer: int in [1, 2, 3]:
		if peer == 1:
			visibility = Visibility.new()
			visibility.bundle = bundle
			visibility.speed = 4.0
			visibility.hold = 0.22
			visibility.ping = func(_of: int) -> float: return 0.05
		for who: int in [2, 3]:
			var player := Node3D.new()
			player.name = "player%d" % who
			player.position = Vector3(0, -100, 0)
			var synchronizer := MultiplayerSynchronizer.new()
			synchronizer.name = "synchronizer"
			synchronizer.replication_config = SceneReplicationConfig.new()
			synchronizer.replication_config.add_property(^".:position")
			player.add_child(synchronizer)
			if peer == 1:
				visibility.add(who, player, synchronizer)
			sides[peer].add_child(player)
		if peer == 1:
			sides[1].add_child(visibility)
			visibility.set_physics_process(false)
	# Player 2 stays in the short arm; player 3 walks from the corner along the long arm, and back. 20 frames a second.
	told.late = 0
	told.frames = 0
	told.not_sent = 0
	told.extra = 0
	told.received = 0
	told.has_own = 0
	var server: Node3D = sides[1]
	# For how many frames more than this one she is sent.
	var held := -1
	for frame in 240:
		var along := 1.5 + (frame if frame < 120 else 240 - frame) * 0.1
		server.get_node("player2").position = SHORT
		# Back by another way, so that nobody is taken to be where they were before.
		var here := Vector3(along, 0.1, -1.5 if frame < 120 else -1.0)
		server.get_node("player3").position = here
		visibility.tick(0.05)
		for i in 3:
			for peer: int in [1, 2, 3]:
				(get_tree().get_multiplayer(sides[peer].get_path()) as SceneMultiplayer).poll()
			await get_tree().process_frame
		# Whom client 2 knows of: at the position of this frame.
		var knows: bool = sides[2].get_node("player3").position.is_equal_approx(here)
		var is_in_sight: bool = bundle.visible_within(SHORT, here, 0.4, 0.2)
		told.frames += 1
		held = 4 if is_in_sight else held - 1
		told.late += int(held >= 0 and not knows)
		told.extra += int(held < 0 and knows)
		told.not_sent += int(not knows)
		told.received += int(knows)
		told.has_own += int(sides[3].get_node("player3").position.is_equal_approx(here))
	told.counts = [visibility.pairs, visibility.hidden]
	visibility.remove(3)
	# All at once are not asked about; who has no player sees all.
	told.others = [visibility.is_sent(0, 2), visibility.is_sent(9, 2), visibility.is_sent(1, 2)]
	told.removed = visibility.is_sent(2, 3)
