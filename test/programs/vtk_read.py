"""Reads a .vtp file with VTK and prints what it found."""
import json
import sys

import vtk

reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
box = data.GetBounds()
points = data.GetPointData()
print(
    json.dumps(
        {
            "version": vtk.VTK_VERSION,
            "lines": data.GetNumberOfLines(),
            "arrays": [points.GetArrayName(k) for k in range(points.GetNumberOfArrays())],
            "bounds": [box[0], box[2], box[4], box[1], box[3], box[5]],
        }
    )
)
