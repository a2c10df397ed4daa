# What hides in a scene, and where its players can be.
#
# Taken are meshes (MeshInstance3D, MultiMeshInstance3D, GridMap, CSG), HeightMapShape3D and Terrain3D; not what is not drawn, moves
# or is in the group viewcell_ignore. Places are nodes of the group viewcell_spawn, and polygons of NavigationRegion3D.
extends RefCounted

const LevelExport := preload("level_export.gd")

const IGNORE := &"viewcell_ignore"
const OPAQUE := &"viewcell_opaque"
const SPAWN := &"viewcell_spawn"
# What the soles of a place are lifted by, so that they touch no floor.
const LIFT := Vector3(0.0, 0.05, 0.0)

var level := LevelExport.new()
# What was left out, and why.
var notes := PackedStringArray()
var use_navigation := true
var _moves: Dictionary[Node, bool] = {}
var _root: Node

# Collects a scene that is in the tree; says why it cannot be baked, or nothing.
func collect(root: Node) -> String:
	_root = root
	_find_animated(root)
	_visit(root)
	if level.triangles == 0:
		return "nothing in the scene hides: expected meshes, a GridMap, CSG or a terrain"
	if level.place_count() == 0:
		return "no place is known where players can be: put a Marker3D into the group %s, or bake a NavigationRegion3D" % SPAWN
	return ""

# Nodes that an animation moves, shows or hides.
func _find_animated(node: Node) -> void:
	var player := node as AnimationPlayer
	if player != null:
		var from := player.get_node_or_null(player.root_node)
		for name in player.get_animation_list():
			var animation := player.get_animation(name)
			for track in animation.get_track_count():
				var path := animation.track_get_path(track)
				var moved := null if from == null else from.get_node_or_null(NodePath(path.get_concatenated_names()))
				if moved != null:
					_moves[moved] = true
	for child in node.get_children():
		_find_animated(child)

func _visit(node: Node) -> void:
	if node.is_in_group(IGNORE):
		return
	if node is Node3D and node.is_in_group(SPAWN):
		level.add_place((node as Node3D).global_position + LIFT)
	# What physics or an animation moves hides nothing, nor does what belongs to it.
	if node is CharacterBody3D or node is RigidBody3D or node is AnimatableBody3D or _moves.has(node):
		notes.append("%s: left out: it moves" % _name(node))
		return
	if node is Node3D and not (node as Node3D).visible:
		return
	if node is NavigationRegion3D and use_navigation:
		_take_navigation(node as NavigationRegion3D)
	elif node is MeshInstance3D:
		_take_mesh_instance(node as MeshInstance3D)
	elif node is MultiMeshInstance3D:
		_take_multimesh(node as MultiMeshInstance3D)
	elif node is GridMap:
		_take_grid(node as GridMap)
	elif node is CSGShape3D:
		var shape := node as CSGShape3D
		if shape.is_root_shape():
			_take_csg(shape)
		# What it is made of is in it.
		return
	elif node is CollisionShape3D:
		var map := (node as CollisionShape3D).shape as HeightMapShape3D
		if map != null and not (node as CollisionShape3D).disabled:
			_take_height_map(node as CollisionShape3D, map)
	elif _is_terrain3d(node):
		_take_terrain3d(node as Node3D)
	for child in node.get_children():
		_visit(child)

func _name(node: Node) -> String:
	return str(_root.get_path_to(node))

# Whether it is drawn in full at any distance, by a node that says that it does not move.
func _hides(of: GeometryInstance3D) -> bool:
	var always := of.visibility_range_begin == 0.0 and of.visibility_range_end == 0.0 and of.transparency == 0.0
	if not always or of.gi_mode != GeometryInstance3D.GI_MODE_STATIC:
		notes.append("%s: hides nothing: it has a range of visibility, is transparent, or its Global Illumination Mode is not Static" % _name(of))
		return false
	return true

func _is_drawn(of: GeometryInstance3D) -> bool:
	return of.cast_shadow != GeometryInstance3D.SHADOW_CASTING_SETTING_SHADOWS_ONLY

func _take_mesh_instance(of: MeshInstance3D) -> void:
	if of.mesh == null or not _is_drawn(of):
		return
	var of_arrays := of.mesh as ArrayMesh
	if of.skin != null or (of_arrays != null and of_arrays.get_blend_shape_count() > 0):
		notes.append("%s: left out: a skeleton or blend shapes change it" % _name(of))
		return
	var materials: Array[Material] = []
	for surface in of.mesh.get_surface_count():
		materials.append(of.get_active_material(surface))
	_add_mesh(of, of.mesh, of.global_transform, materials, _hides(of))

func _take_multimesh(of: MultiMeshInstance3D) -> void:
	if of.multimesh == null or of.multimesh.mesh == null or of.multimesh.transform_format != MultiMesh.TRANSFORM_3D or not _is_drawn(of):
		return
	var hides := _hides(of)
	var count := of.multimesh.visible_instance_count
	for i in of.multimesh.instance_count if count < 0 else count:
		var at := of.global_transform * of.multimesh.get_instance_transform(i)
		_add_mesh(of, of.multimesh.mesh, at, _materials(of, of.multimesh.mesh), hides)

func _materials(of: GeometryInstance3D, mesh: Mesh) -> Array[Material]:
	var materials: Array[Material] = []
	for surface in mesh.get_surface_count():
		materials.append(mesh.surface_get_material(surface) if of == null or of.material_override == null else of.material_override)
	return materials

func _take_grid(of: GridMap) -> void:
	if of.mesh_library == null:
		return
	for cell in of.get_used_cells():
		var item := of.get_cell_item(cell)
		var mesh := of.mesh_library.get_item_mesh(item)
		if mesh == null:
			continue
		var here := Transform3D(of.get_cell_item_basis(cell).scaled(Vector3.ONE * of.cell_scale), of.map_to_local(cell))
		var at := of.global_transform * here * of.mesh_library.get_item_mesh_transform(item)
		_add_mesh(of, mesh, at, _materials(null, mesh), true)

func _take_csg(of: CSGShape3D) -> void:
	var made := of.get_meshes()
	if made.size() < 2 or made[1] == null or not _is_drawn(of):
		return
	_add_mesh(of, made[1], of.global_transform * (made[0] as Transform3D), _materials(of, made[1]), _hides(of))

func _add_mesh(node: Node, mesh: Mesh, at: Transform3D, materials: Array[Material], hides: bool) -> void:
	var is_mirrored := at.basis.determinant() < 0.0
	for surface in mesh.get_surface_count():
		var arrays := mesh.surface_get_arrays(surface)
		if arrays.is_empty() or not _is_triangles(mesh, surface):
			notes.append("%s: left out: surface %d has no triangles" % [_name(node), surface])
			continue
		var vertices: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
		var indices := PackedInt32Array() if arrays[Mesh.ARRAY_INDEX] == null else arrays[Mesh.ARRAY_INDEX] as PackedInt32Array
		if indices.is_empty():
			indices = PackedInt32Array(range(vertices.size()))
		var corners := PackedVector3Array()
		for index in indices:
			corners.append(at * vertices[index])
		var material := materials[surface]
		# A mirrored mesh is drawn with its triangles turned round; so is one whose fronts are culled.
		if is_mirrored != _is_inside_out(material):
			corners.reverse()
		level.add("%s %d" % [_name(node), surface], corners, hides and _is_opaque(node, material), _is_two_sided(material))

static func _is_triangles(mesh: Mesh, surface: int) -> bool:
	# Only meshes of arrays may have others.
	return not mesh is ArrayMesh or (mesh as ArrayMesh).surface_get_primitive_type(surface) == Mesh.PRIMITIVE_TRIANGLES

# Without a material Godot draws an opaque one. What a shader draws is not known.
static func _is_opaque(node: Node, material: Material) -> bool:
	if material == null or node.is_in_group(OPAQUE):
		return true
	var base := material as BaseMaterial3D
	return (
		base != null
		and base.transparency == BaseMaterial3D.TRANSPARENCY_DISABLED
		and base.blend_mode == BaseMaterial3D.BLEND_MODE_MIX
		and base.distance_fade_mode == BaseMaterial3D.DISTANCE_FADE_DISABLED
		and not base.proximity_fade_enabled
		and not base.grow
		and base.billboard_mode == BaseMaterial3D.BILLBOARD_DISABLED
	)

static func _is_inside_out(material: Material) -> bool:
	return material is BaseMaterial3D and (material as BaseMaterial3D).cull_mode == BaseMaterial3D.CULL_FRONT

static func _is_two_sided(material: Material) -> bool:
	return material is BaseMaterial3D and (material as BaseMaterial3D).cull_mode == BaseMaterial3D.CULL_DISABLED

func _take_navigation(of: NavigationRegion3D) -> void:
	var mesh := of.navigation_mesh
	if mesh == null or not of.enabled:
		return
	var vertices := mesh.get_vertices()
	for i in mesh.get_polygon_count():
		var polygon := mesh.get_polygon(i)
		var sum := Vector3.ZERO
		for corner in polygon:
			sum += vertices[corner]
		level.add_place(of.global_transform * (sum / polygon.size()) + LIFT)

# A shape of heights is taken to be drawn as it is.
func _take_height_map(of: CollisionShape3D, map: HeightMapShape3D) -> void:
	var size := Vector2i(map.map_width, map.map_depth)
	var heights := map.map_data
	var middle := Vector2(size - Vector2i.ONE) / 2.0
	_add_grid(_name(of), size, func(at: Vector2i) -> Vector3:
		return of.global_transform * Vector3(at.x - middle.x, heights[at.y * size.x + at.x], at.y - middle.y), of.global_basis)

# Both triangles of each square, cut so that they lie lower: they hide no more than what is drawn, whichever way that is cut. Squares
# with a corner that is not there are holes.
func _add_grid(name: String, size: Vector2i, point: Callable, axes := Basis.IDENTITY) -> void:
	var points := PackedVector3Array()
	for row in size.y:
		for column in size.x:
			points.append(point.call(Vector2i(column, row)))
	var corners := PackedVector3Array()
	for row in size.y - 1:
		for column in size.x - 1:
			var at := row * size.x + column
			var square := [points[at], points[at + 1], points[at + size.x], points[at + size.x + 1]]
			if not square.all(func(corner: Vector3) -> bool: return corner.is_finite()):
				continue
			# From above clockwise: x to the right, z towards the viewer.
			if (square[0] + square[3] - square[1] - square[2]).dot(axes.y) < 0.0:
				corners.append_array([square[0], square[1], square[3], square[0], square[3], square[2]])
			else:
				corners.append_array([square[0], square[1], square[2], square[1], square[3], square[2]])
	if axes.determinant() < 0.0:
		corners.reverse()
	level.add(name, corners, true)

# The add-on Terrain3D, by what its documentation says: heights are not numbers at holes and outside of regions.
static func _is_terrain3d(node: Node) -> bool:
	if not node is Node3D or not "vertex_spacing" in node or not "region_size" in node or not "data" in node:
		return false
	var data: Object = node.get("data")
	return data != null and data.has_method("get_region_locations") and data.has_method("get_height")

func _take_terrain3d(of: Node3D) -> void:
	var data: Object = of.get("data")
	var spacing: float = of.get("vertex_spacing")
	var side: int = of.get("region_size")
	for region: Vector2i in data.call("get_region_locations"):
		# One more on each side joins it to its neighbours.
		_add_grid("%s %s" % [_name(of), region], Vector2i.ONE * (side + 1), func(at: Vector2i) -> Vector3:
			var there := Vector2(region * side + at) * spacing
			return Vector3(there.x, data.call("get_height", Vector3(there.x, 0.0, there.y)), there.y))
