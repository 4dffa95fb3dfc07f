"""Query text in, relevant notes with their evidence out."""
