"""From a System to flat arrays: numbering, packing, constraint graph, assembly, checks."""
