"""Plays recordings: an object with a recording takes its nodes at every frame, in the view and in renders."""
import os

import bpy
import numpy
from bpy.app.handlers import persistent

from .recording import Recording, RecordingError

#: Names of the properties of an object that plays a recording.
PATH, FIRST, SETTLE, UNIT = "tendril_recording", "tendril_first", "tendril_settle", "tendril_unit"

opened = {}


def recording_of(item):
    """The recording of an object, opened once per version of the file; None if it cannot be read."""
    path = bpy.path.abspath(item[PATH])
    try:
        stamp = os.path.getmtime(path)
        known = opened.get(path)
        if known is None or known[0] != stamp:
            opened[path] = (stamp, Recording(path))
        return opened[path][1]
    except (OSError, RecordingError) as error:
        print(f"tendril: {item.name}: {error}")
        return None


def create_player(name, path, *, first, settle, unit, radius, collection):
    """A curve object that plays a recording; one that exists under this name is replaced."""
    old = bpy.data.objects.get(name)
    if old is not None:
        data = old.data
        bpy.data.objects.remove(old)
        if data.users == 0:
            bpy.data.curves.remove(data)
    recording = Recording(path)
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.bevel_depth = radius
    data.bevel_resolution = 1
    data.use_fill_caps = True
    for rod in recording.rods:
        data.splines.new("POLY").points.add(rod["nodeCount"] - 1)
    item = bpy.data.objects.new(name, data)
    collection.objects.link(item)
    item[PATH], item[FIRST], item[SETTLE], item[UNIT] = path, first, settle, unit
    return item


def show_frame(item, frame):
    """Moves the points of an object to a frame of the timeline."""
    recording = recording_of(item)
    if recording is None or recording.count == 0:
        return
    rods = recording.frame(frame - item[FIRST] + item[SETTLE])
    for spline, nodes in zip(item.data.splines, rods):
        if len(spline.points) != len(nodes):
            continue
        points = numpy.ones((len(nodes), 4), dtype=numpy.float32)
        points[:, :3] = nodes / item[UNIT]
        spline.points.foreach_set("co", points.ravel())
    item.data.update_tag()


@persistent
def show_all(scene, *_):
    for item in scene.objects:
        if item.type == "CURVE" and PATH in item:
            show_frame(item, scene.frame_current)


def register():
    bpy.app.handlers.frame_change_pre.append(show_all)
    bpy.app.handlers.load_post.append(forget)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(show_all)
    bpy.app.handlers.load_post.remove(forget)


@persistent
def forget(*_):
    opened.clear()
