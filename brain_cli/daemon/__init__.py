"""A warm recall for other processes: the watcher holds the index open and answers on a socket.

`client` asks and `wire` is what both say; the two import next to nothing. `server` listens, `held` is what it
answers from.
"""
