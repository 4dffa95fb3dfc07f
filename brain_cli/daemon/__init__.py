"""The daemon: a process that keeps one vault's index open and answers recalls of other `brain` processes.

How a recall is answered:

1. `client.ask` sends the command line with its environment to the vault's socket (`address`, `protocol`).
2. `server.Server` reads the request and passes it to `cli._run_daemon.DaemonCommands`, which runs the command in this
   process.
3. The command gets its index from `warm_index`, which `file_watcher` notifies of changes in the vault.

`daemon.Daemon` is the loop around this: wait for changes, refresh the index, keep the socket open.

The client prints the response. Without a daemon, or when the daemon declines, it runs the command itself.
`client`, `address` and `protocol` import almost nothing, because every recall starts with them.
"""
