"""Relations: geometry between two markers."""
