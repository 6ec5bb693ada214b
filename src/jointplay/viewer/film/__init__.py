"""A run as a film: the page of the viewer, drawn frame by frame in a browser without a window, and encoded.

    film(result, "run.mp4") -> Filmed

The instants of the frames follow from the run, the speed and the frames per second; no clock has a part in it, and the
same run gives the same frames. ``pipe`` speaks to the browser, ``browser`` finds, starts and ends it, ``plan`` reads
what is requested, ``encoders`` make the files.
"""

from .encoders import FORMATS
from .filming import Filmed, film
from .plan import FilmOptions

__all__ = ["FORMATS", "FilmOptions", "Filmed", "film"]
