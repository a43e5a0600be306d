"""Writes what tendril simulates: curves and an animated mesh as .usda in world axes, and the scene that names them."""
import os

import numpy

HEAD = """#usda 1.0
(
    metersPerUnit = {unit:.9g}
    upAxis = "Z"
    timeCodesPerSecond = {fps:.9g}
    startTimeCode = 0
    endTimeCode = {last}
)

"""


class InputFault(Exception):
    """Objects that cannot be simulated; the message says what would be right."""


def unit_of(scene):
    """Metres per unit of the scene."""
    return scene.unit_settings.scale_length or 1.0


def fps_of(scene):
    return scene.render.fps / scene.render.fps_base


def points_of(item):
    """Points of the curves of an object, in world axes: one array of shape (points, 3) per curve."""
    if item.type == "CURVES":
        flat = numpy.empty(3 * len(item.data.points), dtype=numpy.float32)
        item.data.points.foreach_get("position", flat)
        all_points = flat.reshape(-1, 3)
        curves = [
            all_points[curve.first_point_index : curve.first_point_index + curve.points_length]
            for curve in item.data.curves
        ]
    elif item.type == "CURVE":
        curves = [spline_points(spline) for spline in item.data.splines]
    else:
        raise InputFault(f"{item.name} is no curve: select hair curves or a curve object")
    curves = [points for points in curves if len(points) > 1]
    if not curves:
        raise InputFault(f"{item.name} has no curve with two points or more")
    matrix = numpy.array(item.matrix_world)
    return [points @ matrix[:3, :3].T + matrix[:3, 3] for points in curves]


def spline_points(spline):
    if spline.use_cyclic_u:
        raise InputFault("closed splines have no root; open them (Curve, Toggle Cyclic)")
    if spline.type != "BEZIER":
        return numpy.array([point.co[:3] for point in spline.points])
    from mathutils.geometry import interpolate_bezier

    knots = spline.bezier_points
    out = [knots[0].co[:]] if len(knots) else []
    steps = max(2, spline.resolution_u)
    for a, b in zip(knots, knots[1:]):
        piece = interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, steps + 1)
        out += [place[:] for place in piece[1:]]
    return numpy.array(out)


def text_of(points):
    return ", ".join("(%.8g, %.8g, %.8g)" % tuple(point) for point in points)


def write_curves(path, curves, unit):
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD.format(unit=unit, fps=24, last=0))
        file.write('def BasisCurves "curves"\n{\n    uniform token type = "linear"\n')
        file.write("    int[] curveVertexCounts = [%s]\n" % ", ".join(str(len(points)) for points in curves))
        file.write("    point3f[] points = [%s]\n}\n" % text_of(numpy.concatenate(curves)))


def write_skin(path, item, context, frames, progress):
    """Writes the mesh of an object as it is at each frame, modifiers and armature included."""
    scene = context.scene
    before = scene.frame_current
    faces = None
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD.format(unit=unit_of(scene), fps=fps_of(scene), last=len(frames) - 1))
            for k, frame in enumerate(frames):
                scene.frame_set(frame)
                positions, now = evaluated_mesh(item, context)
                if faces is None:
                    faces = now
                    write_faces(file, item, faces)
                    file.write("    point3f[] points.timeSamples = {\n")
                elif len(now[1]) != len(faces[1]) or not numpy.array_equal(now[1], faces[1]):
                    raise InputFault(
                        f"the faces of {item.name} change at frame {frame}; hair needs a mesh whose faces stay"
                    )
                file.write("        %d: [%s],\n" % (k, text_of(positions)))
                progress((k + 1) / len(frames))
            file.write("    }\n}\n")
    finally:
        scene.frame_set(before)


def write_faces(file, item, faces):
    counts, corners = faces
    if len(counts) == 0:
        raise InputFault(f"{item.name} has no faces")
    file.write('def Mesh "skin"\n{\n    uniform token subdivisionScheme = "none"\n')
    file.write("    int[] faceVertexCounts = [%s]\n" % ", ".join(map(str, counts)))
    file.write("    int[] faceVertexIndices = [%s]\n" % ", ".join(map(str, corners)))


def evaluated_mesh(item, context):
    """World positions of the vertices, and (corners per face, vertex of each corner)."""
    evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
        mesh.vertices.foreach_get("co", flat)
        counts = numpy.empty(len(mesh.polygons), dtype=numpy.int32)
        mesh.polygons.foreach_get("loop_total", counts)
        corners = numpy.empty(len(mesh.loops), dtype=numpy.int32)
        mesh.loops.foreach_get("vertex_index", corners)
    finally:
        evaluated.to_mesh_clear()
    matrix = numpy.array(evaluated.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], (counts, corners)


def write_scene(path, settings, *, fps, frames, gravity, has_skin):
    """Writes the scene. Its frame k is frame k of the timeline, after the frames in which the hair settles."""
    settle = settings.settle / fps
    animation = f'animation: {{ name: "0", start: {settle:.9g} }}'
    strand = [
        "file: curves.usda",
        "id: hair",
        f"model: {settings.model}",
        f"edges: {settings.edges}",
        f"section: {{ type: circle, radius: {settings.radius * 1e-3:.9g} }}",
        f"material: {{ E: {settings.stiffness * 1e9:.9g}, nu: 0.35, density: {settings.density:.9g} }}",
    ]
    if settings.keep_shape:
        strand.append("natural: equilibrium")
    if has_skin:
        strand.append(f"skin: {{ file: skin.usda, {animation} }}")
    lines = [
        "tendril: 1",
        'title: "From Blender"',
        "gravity: [%.9g, %.9g, %.9g]" % tuple(gravity),
        "strands:",
        f"  - {{ {', '.join(strand)} }}",
    ]
    if has_skin:
        solid = "true" if settings.solid else "false"
        lines += [
            "colliders:",
            f"  - {{ type: mesh-file, file: skin.usda, solid: {solid}, friction: 0.2, {animation} }}",
        ]
    lines += [
        "fields:",
        f"  - {{ type: air, linear: [{settings.air * 1e-4:.9g}, {settings.air * 5e-5:.9g}] }}",
        f"time: {{ duration: {settle + (frames - 1) / fps:.15g}, step: {1 / fps / settings.substeps:.15g} }}",
        f"output: {{ every: {1 / fps:.15g} }}",
        "",
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def prepare_folder(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputFault(f"the folder {folder} cannot be made: {error.strerror}") from error
