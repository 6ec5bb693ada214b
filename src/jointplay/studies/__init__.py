"""Studies: one machine of a drawing becomes ten thousand; what varies, which plan, which outputs, what is learnt.

Facts (iso286, expansion) and descriptions (inputs, fits, plans, outputs, limits) know nothing of runs. A batch runs
members of one compiled model; a study fills a file by it. What is learnt (estimates, rankings, gradients, reliability)
reads rows, or requests single points.
"""
