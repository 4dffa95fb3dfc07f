"""Measure recall on judged questions: which notes it ranks first, which answer it shows, how long it takes."""
