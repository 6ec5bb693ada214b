"""Triangles: files of meshes, and the mass properties of the solids that they enclose. Knows no mechanism."""
