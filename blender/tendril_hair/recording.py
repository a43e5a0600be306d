"""Reads recordings of tendril (.tendril), a frame at a time. The layout is described in packages/io/README.md."""
import json
import os
import struct

import numpy

FRAME_FIXED = 64


class RecordingError(Exception):
    """A file that is no recording, or a damaged one."""


class Recording:
    """Node positions of a recording: `frame(k)` returns one array of shape (nodes, 3) per rod, in metres."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            signature = file.read(16)
            if signature[:8] != b"\x89TREC\r\n\x1a" or len(signature) < 16:
                raise RecordingError(f"{path} is not a recording of tendril")
            _, length = struct.unpack("<II", signature[8:16])
            header = json.loads(file.read(length))
        self.rods = header["rods"]
        self.single = header.get("precision") == "f32"
        self.offset = -(-(16 + length + 4) // 8) * 8
        size = FRAME_FIXED + 56 * len(header.get("bodies", []))
        for rod in self.rods:
            size += 3 * rod["nodeCount"] * (4 if self.single else 8) + 12 * rod["edgeCount"]
            for channel in header.get("channels", []):
                size += 4 * (rod["edgeCount"] if channel == "tension" else rod["nodeCount"])
        self.channels = header.get("channels", [])
        self.size = -(-(size + 4) // 8) * 8
        # a file without a footer, of an incomplete run, has only whole frames that count
        self.count = (os.path.getsize(path) - self.offset) // self.size

    def frame(self, index):
        """Positions of frame `index`, limited to those that exist."""
        index = max(0, min(self.count - 1, index))
        with open(self.path, "rb") as file:
            file.seek(self.offset + index * self.size)
            data = file.read(self.size)
        if data[:4] != b"FRAM":
            raise RecordingError(f"{self.path}: frame {index} is damaged")
        out = []
        at = FRAME_FIXED
        for rod in self.rods:
            nodes = rod["nodeCount"]
            kind = "<f4" if self.single else "<f8"
            out.append(numpy.frombuffer(data, kind, 3 * nodes, at).reshape(nodes, 3))
            at += 3 * nodes * (4 if self.single else 8) + 12 * rod["edgeCount"]
            for channel in self.channels:
                at += 4 * (rod["edgeCount"] if channel == "tension" else nodes)
        return out
