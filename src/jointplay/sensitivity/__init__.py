"""Derivatives of what a run gives with respect to what a model is made of.

    x(t; rho)  ->  dx/drho       by "direct", "adjoint", "complex-step" and "differences"

A *source* turns values of parameters into a System (source.py); *targets* are the quantities and objectives asked for
(targets.py); a *variation* is the derivative of all compiled numbers with respect to one parameter (variation.py), and
all that the engines of ``jointplay.tangent`` need to know about it.
"""
