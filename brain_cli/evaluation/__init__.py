"""Judged questions → how good a recall is: which notes it ranks first, which answer it shows, how long it takes."""
