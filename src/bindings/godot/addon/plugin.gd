# The editor's dock: bakes the edited scene, shows how far it is, and keeps the bundle with a digest of what it was baked from.
@tool
extends EditorPlugin

const BakeRun := preload("bake_run.gd")
const SceneGeometry := preload("scene_geometry.gd")

# Of the project: the program, and players in metres from the point between their feet.
const SETTINGS := {
	"viewcell/program": "viewcell",
	"viewcell/quality": "good",
	"viewcell/width": 0.6,
	"viewcell/height": 1.8,
	"viewcell/eye_crouched": 1.0,
	"viewcell/eye_standing": 1.7,
}

var _dock := VBoxContainer.new()
var _bake := Button.new()
var _check := Button.new()
var _cancel := Button.new()
var _bar := ProgressBar.new()
var _says := Label.new()
var _run: BakeRun
var _folder := ""
var _bundle := ""
var _digest := ""
var _about := ""

func _enter_tree() -> void:
	for name: String in SETTINGS:
		if not ProjectSettings.has_setting(name):
			ProjectSettings.set_setting(name, SETTINGS[name])
		ProjectSettings.set_initial_value(name, SETTINGS[name])
	_dock.name = "Viewcell"
	_bake.text = "Bake who sees whom"
	_bake.pressed.connect(_start)
	_check.text = "Is the bundle up to date?"
	_check.pressed.connect(_ask)
	_cancel.text = "Cancel"
	_cancel.pressed.connect(func() -> void: _run.cancel())
	_says.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	for control: Control in [_bake, _check, _bar, _cancel, _says]:
		_dock.add_child(control)
	_show(false)
	add_control_to_dock(DOCK_SLOT_RIGHT_BL, _dock)

func _exit_tree() -> void:
	if _run != null:
		_run.cancel()
		_clear()
	remove_control_from_docks(_dock)
	_dock.queue_free()

func _show(is_baking: bool) -> void:
	_bake.disabled = is_baking
	_check.disabled = is_baking
	_bar.visible = is_baking
	_cancel.visible = is_baking
	set_process(is_baking)

static func _of(name: String) -> Variant:
	return ProjectSettings.get_setting("viewcell/" + name, SETTINGS["viewcell/" + name])

# The options of `viewcell bake solid` that change its result; nothing, after it was said why, where players are none.
func _options() -> PackedStringArray:
	var width: float = _of("width")
	var height: float = _of("height")
	var eyes := [_of("eye_crouched"), _of("eye_standing")]
	if width <= 0.0 or height <= 0.0 or eyes[0] < 0.0 or eyes[0] > eyes[1] or eyes[1] > height:
		_says.text = "Project settings, viewcell: expected a body of more than 0 m, and eyes from crouched to standing, not above the head"
		return PackedStringArray()
	var half := width / 2.0
	return PackedStringArray([
		"--from", "godot", "--quality", str(_of("quality")), "--hull=%f,%f,0,%f,%f,%f" % [-half, -half, half, half, height],
		"--eye", "%f,%f" % eyes,
	])

# The scene as it is, or null after it was said why not.
func _collect() -> SceneGeometry:
	var scene := EditorInterface.get_edited_scene_root()
	if scene == null or scene.scene_file_path == "":
		_says.text = "The scene has no file yet: save it first"
		return null
	_bundle = scene.scene_file_path.get_basename() + ".vcb"
	var found := SceneGeometry.new()
	var why := found.collect(scene)
	if why != "":
		_says.text = why
		return null
	return found

func _ask() -> void:
	var options := _options()
	var found := null if options.is_empty() else _collect()
	if found == null:
		return
	if not FileAccess.file_exists(_bundle) or not FileAccess.file_exists(_bundle + ".digest"):
		_says.text = "This scene has not been baked"
	elif FileAccess.get_file_as_string(_bundle + ".digest") == found.level.digest(" ".join(options)):
		_says.text = "Up to date"
	else:
		_says.text = "Stale: the scene or the options have changed since the bake"

func _start() -> void:
	var options := _options()
	var found := null if options.is_empty() else _collect()
	if found == null:
		return
	for note in found.notes:
		push_warning("viewcell: " + note)
	_folder = OS.get_cache_dir().path_join("viewcell-%d-%d" % [OS.get_process_id(), Time.get_ticks_usec()])
	DirAccess.make_dir_recursive_absolute(_folder)
	var why := found.level.write(_folder)
	_digest = found.level.digest(" ".join(options))
	_about = "Baked %d triangles, from %d places" % [found.level.triangles, found.level.place_count()]
	_run = BakeRun.new()
	if why == "":
		why = _run.start(_of("program"), PackedStringArray([
			"bake", "solid", _folder.path_join("level.obj"), "-o", _folder.path_join("level.vcb"), "--no-checkpoint",
			"--reach", _folder.path_join("places.csv"),
		]) + options)
	if why != "":
		_says.text = why
		_clear()
		return
	_says.text = ""
	_show(true)

func _process(_delta: float) -> void:
	if _run == null:
		return
	var has_ended := _run.poll()
	_bar.value = 100.0 * _run.done
	_says.text = _run.stage
	if not has_ended:
		return
	_says.text = _end()
	print("viewcell: ", _says.text, "\n", _run.words)
	_clear()
	_show(false)

# Keeps the bundle. A bundle that is open must not be written to: another takes its name.
func _end() -> String:
	if _run.exit_code() != 0:
		return "The bundle is as it was: cancelled" if _run.words == "" else "The bundle is as it was: " + _run.words
	var to := ProjectSettings.globalize_path(_bundle)
	var error := DirAccess.copy_absolute(_folder.path_join("level.vcb"), to + ".part")
	if error == OK:
		error = DirAccess.rename_absolute(to + ".part", to)
	if error != OK:
		return "%s: cannot be written: %s" % [_bundle, error_string(error)]
	var file := FileAccess.open(_bundle + ".digest", FileAccess.WRITE)
	if file == null or not file.store_string(_digest):
		return "%s.digest: cannot be written" % _bundle
	file.close()
	EditorInterface.get_resource_filesystem().scan()
	return "%s: %s" % [_about, _bundle]

func _clear() -> void:
	for name in DirAccess.get_files_at(_folder):
		DirAccess.remove_absolute(_folder.path_join(name))
	DirAccess.remove_absolute(_folder)
	_run = null
