"""Settings, the operator that runs tendril, and the panel in the sidebar."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import files, playback

#: Share of the progress that writing the mesh takes.
EXPORT = 0.1


class TendrilPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: StringProperty(
        name="Command",
        description="How tendril is started, for example: tendril, or npx @tendril-sim/cli",
        default="tendril",
    )

    def draw(self, _context):
        self.layout.prop(self, "command")


class TendrilSettings(bpy.types.PropertyGroup):
    skin: PointerProperty(
        name="Skin",
        description="Animated mesh on which the roots ride and with which hair collides",
        type=bpy.types.Object,
        poll=lambda _, item: item.type == "MESH",
    )
    solid: BoolProperty(name="Solid", description="The mesh has an inside; off for sheets such as a scalp", default=True)
    model: EnumProperty(
        name="Model",
        items=[
            ("der", "Discrete rods", "der: the default, for hair, rope and wire"),
            ("helix", "Super-helices", "helix: curly hair of few elements"),
            ("fiber", "Stiff fibers", "fiber: large steps for stiff fibers"),
        ],
    )
    edges: IntProperty(name="Segments", description="Segments of each curve", default=30, min=2, max=1000)
    radius: FloatProperty(name="Radius (mm)", default=0.05, min=0.001, max=100, precision=3)
    stiffness: FloatProperty(name="Stiffness (GPa)", default=3.9, min=1e-6, max=1000, precision=3)
    density: FloatProperty(name="Density (kg/m³)", default=1320, min=1, max=20000)
    keep_shape: BoolProperty(
        name="Keep groom", description="The curves as drawn are at rest under gravity; off: they sag", default=True
    )
    air: FloatProperty(name="Air drag", description="1: about that of air on a lock of hair", default=4, min=0, max=1000)
    settle: IntProperty(name="Settle frames", description="Frames at rest before the first", default=12, min=0, max=1000)
    substeps: IntProperty(name="Substeps", description="Steps per frame", default=8, min=1, max=1000)
    folder: StringProperty(
        name="Cache", description="Folder of the recording; empty: beside the .blend file", subtype="DIR_PATH"
    )
    progress: FloatProperty(name="Progress", min=0, max=100, subtype="PERCENTAGE", options={"SKIP_SAVE"})
    status: StringProperty(options={"SKIP_SAVE"})


def command_of(context):
    entry = context.preferences.addons.get(__package__)
    text = os.environ.get("TENDRIL") or (entry.preferences.command if entry else "tendril")
    words = shlex.split(text, posix=os.name != "nt")
    if not words or shutil.which(words[0]) is None:
        raise files.InputFault(f"the command '{text}' is not found; set it in the add-on's preferences")
    return words


def folder_of(settings, name):
    if settings.folder:
        return os.path.join(bpy.path.abspath(settings.folder), name)
    base = bpy.path.abspath("//") if bpy.data.filepath else tempfile.gettempdir()
    return os.path.join(base, "tendril", name)


class Job:
    """A running simulation: its progress is read by a thread, so that Blender stays responsive."""

    def __init__(self, words):
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {}
        self.process = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options
        )
        self.percent = 0.0
        self.left = ""
        self.lines = []
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self):
        for line in self.process.stderr:
            found = re.match(r"\s*(\d+) %.*?([\d.]+ ?[a-z][\w ]*) left", line)
            if found:
                self.percent, self.left = float(found[1]), found[2]
            elif line.strip():
                self.lines.append(line.rstrip())

    def stop(self):
        """As Ctrl-C: tendril keeps the frames that are complete."""
        if self.process.poll() is None:
            self.process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)

    def finish(self):
        code = self.process.wait()
        self.thread.join()
        return code


class TENDRIL_OT_simulate(bpy.types.Operator):
    """Simulates the curves of the active object and adds an object that plays the result. Esc stops it"""

    bl_idname = "tendril.simulate"
    bl_label = "Simulate"

    job = None
    source = ""
    out = ""
    timer = None

    @classmethod
    def poll(cls, context):
        item = context.active_object
        return item is not None and item.type in {"CURVE", "CURVES"} and playback.PATH not in item

    def prepare(self, context):
        scene, settings = context.scene, context.scene.tendril
        item = context.active_object
        words = command_of(context)
        self.source = item.name
        folder = folder_of(settings, item.name)
        files.prepare_folder(folder)
        skin = settings.skin or (getattr(item.data, "surface", None) if item.type == "CURVES" else None)
        frames = list(range(scene.frame_start, scene.frame_end + 1))
        before = scene.frame_current
        scene.frame_set(frames[0])
        try:
            curves = files.points_of(item)
        finally:
            scene.frame_set(before)
        files.write_curves(os.path.join(folder, "curves.usda"), curves, files.unit_of(scene))
        if skin:
            files.write_skin(
                os.path.join(folder, "skin.usda"), skin, context, frames, lambda part: self.show(context, EXPORT * part)
            )
        path = os.path.join(folder, "scene.yaml")
        files.write_scene(
            path,
            settings,
            fps=files.fps_of(scene),
            frames=len(frames),
            gravity=scene.gravity if scene.use_gravity else (0, 0, 0),
            has_skin=skin is not None,
        )
        self.out = os.path.join(folder, "out")
        self.job = Job([*words, "run", path, "--out", self.out, "--force"])

    def show(self, context, part):
        context.scene.tendril.progress = 100 * part
        context.window_manager.progress_update(100 * part)

    def execute(self, context):
        """Waits for the end: in scripts and without a window."""
        context.window_manager.progress_begin(0, 100)
        try:
            self.prepare(context)
            self.job.finish()
            return self.end(context)
        except files.InputFault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        finally:
            context.window_manager.progress_end()

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        context.window_manager.progress_begin(0, 100)
        try:
            self.prepare(context)
        except files.InputFault as fault:
            self.report({"ERROR"}, str(fault))
            context.window_manager.progress_end()
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.25, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.job.stop()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        self.show(context, EXPORT + (1 - EXPORT) * self.job.percent / 100)
        context.scene.tendril.status = f"{self.job.left} left" if self.job.left else "starting"
        for area in context.screen.areas:
            area.tag_redraw()
        if self.job.process.poll() is None:
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        self.job.finish()
        return self.end(context)

    def end(self, context):
        """Adds the player, also for a run that stopped early: its frames so far are played."""
        scene, settings = context.scene, context.scene.tendril
        code, lines = self.job.process.returncode, self.job.lines
        settings.status, settings.progress = "", 0
        path = os.path.join(self.out, "recording.tendril")
        faults = [line for line in lines if line.startswith(("error", "✗"))]
        if code != 0:
            self.report({"ERROR"}, "\n".join(faults or lines[-3:] or [f"tendril ended with {code}"]))
        if not os.path.exists(path):
            return {"CANCELLED"}
        for line in lines:
            if line.startswith("warning"):
                self.report({"WARNING"}, line)
        item = playback.create_player(
            f"{self.source} simulated",
            path,
            first=scene.frame_start,
            settle=settings.settle,
            unit=files.unit_of(scene),
            radius=settings.radius * 1e-3 / files.unit_of(scene),
            collection=context.collection,
        )
        playback.show_frame(item, scene.frame_current)
        return {"FINISHED"} if code == 0 else {"CANCELLED"}


class TENDRIL_PT_panel(bpy.types.Panel):
    bl_label = "Tendril"
    bl_idname = "TENDRIL_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tendril"

    def draw(self, context):
        settings, layout = context.scene.tendril, self.layout
        layout.use_property_split = True
        layout.prop(settings, "skin")
        if settings.skin:
            layout.prop(settings, "solid")
        for name in ("model", "edges", "radius", "stiffness", "density", "keep_shape", "air"):
            layout.prop(settings, name)
        layout.separator()
        for name in ("settle", "substeps", "folder"):
            layout.prop(settings, name)
        layout.operator("tendril.simulate", icon="PHYSICS")
        if settings.status:
            layout.prop(settings, "progress", slider=True)
            layout.label(text=f"{settings.status}; Esc stops")


classes = (TendrilPreferences, TendrilSettings, TENDRIL_OT_simulate, TENDRIL_PT_panel)


def register():
    for one in classes:
        bpy.utils.register_class(one)
    bpy.types.Scene.tendril = PointerProperty(type=TendrilSettings)


def unregister():
    del bpy.types.Scene.tendril
    for one in reversed(classes):
        bpy.utils.unregister_class(one)
