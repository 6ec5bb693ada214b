"""Derivatives of runs: linearised equations, tangent and adjoint steps, complex step."""
