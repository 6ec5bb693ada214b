"""Kernels over all bodies and rows: kinematics, interactions, forces, dynamics, projection."""
