"""What a run gives back: names and units, files, pictures, summaries."""
