"""Uses the add-on of blender/ without a window: hair on a ball that turns with an armature. Prints where the nodes are and should be."""
import json
import math
import sys

import bpy
import numpy

folder, addon = sys.argv[sys.argv.index("--") + 1 :]
sys.path.insert(0, addon)
import tendril_hair  # noqa: E402
from tendril_hair import playback  # noqa: E402

bpy.ops.wm.read_factory_settings(use_empty=True)
tendril_hair.register()
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 13

bpy.ops.mesh.primitive_uv_sphere_add(radius=0.1, segments=24, ring_count=16)
ball = bpy.context.active_object
for frame, angle in ((1, 0), (13, 0.8)):
    ball.rotation_euler = (0, 0, angle)
    ball.keyframe_insert("rotation_euler", frame=frame)

# eight curves around the ball: poly, and Bézier
data = bpy.data.curves.new("hair", "CURVE")
data.dimensions = "3D"
roots = []
for k in range(8):
    turn = k * math.pi / 4
    x, y = math.cos(turn), math.sin(turn)
    points = [(0.1 * x + 0.02 * i * x, 0.1 * y + 0.02 * i * y, 0.02 * i * (1 - 0.2 * i)) for i in range(6)]
    if k < 4:
        spline = data.splines.new("POLY")
        spline.points.add(5)
        for point, place in zip(spline.points, points):
            point.co = (*place, 1)
    else:
        spline = data.splines.new("BEZIER")
        spline.bezier_points.add(5)
        for point, place in zip(spline.bezier_points, points):
            point.co = place
            point.handle_left_type = point.handle_right_type = "AUTO"
    roots.append(points[0])
hair = bpy.data.objects.new("hair", data)
scene.collection.objects.link(hair)
bpy.context.view_layer.objects.active = hair

settings = scene.tendril
settings.skin, settings.folder, settings.edges, settings.settle, settings.substeps = ball, folder, 20, 3, 4
settings.radius = 0.5
result = bpy.ops.tendril.simulate()
player = bpy.data.objects.get("hair simulated")
report = {"version": bpy.app.version_string, "result": list(result), "frames": 0, "root": None, "moved": None}
if player:
    recording = playback.recording_of(player)
    report["frames"] = recording.count

    def positions(frame):
        scene.frame_set(frame)
        evaluated = player.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return [numpy.array([point.co[:3] for point in spline.points]) for spline in evaluated.data.splines]

    last = positions(13)
    turned = [(math.cos(0.8) * x - math.sin(0.8) * y, math.sin(0.8) * x + math.cos(0.8) * y, z) for x, y, z in roots]
    # in the view as in the recording, and roots on the skin that has turned
    report["played"] = max(
        float(numpy.abs(points - nodes).max()) for points, nodes in zip(last, recording.frame(recording.count - 1))
    )
    report["root"] = max(float(numpy.abs(points[0] - root).max()) for points, root in zip(last, turned))
    report["moved"] = float(numpy.abs(last[0] - positions(1)[0]).max())
    report["inside"] = min(float(numpy.linalg.norm(points[1:], axis=1).min()) for points in last)
print("RESULT " + json.dumps(report))

settings.skin = None
bpy.context.view_layer.objects.active = ball
try:
    bpy.ops.tendril.simulate()
    print("WRONG a mesh was simulated")
except RuntimeError as error:
    print("REFUSED " + str(error).strip().splitlines()[-1])
