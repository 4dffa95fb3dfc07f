"""Index engines: each stores postings and fragments, and finds them again.

index/__init__.py states what an engine must offer, and lists the engines. To add one: a file here,
a line there.
"""
