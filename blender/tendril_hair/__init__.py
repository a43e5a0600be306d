"""Tendril in Blender: simulates curves on an animated mesh and plays the result. See README.md beside this folder."""
from . import operators, playback

bl_info = {
    "name": "Tendril Hair",
    "author": "Tendril contributors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Tendril",
    "description": "Simulates curves as hair, rope or wire with the command tendril",
    "category": "Physics",
}


def register():
    operators.register()
    playback.register()


def unregister():
    playback.unregister()
    operators.unregister()
