"""Robot files (URDF, MJCF): read into a System, written from one, every element accounted for."""
