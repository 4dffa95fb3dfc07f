"""The daemon: a process that keeps one vault's index open and answers recalls of other `brain`
processes.

How a recall is answered:

1. `client.ask` sends the command line with its environment to the vault's socket (`protocol`).
2. `loop.Daemon` reads the request and passes it to `cli.run_daemon.DaemonCommands`, which runs the
   command in this process, one at a time.
3. The command gets its index from `warm_index`, which asks `watcher` whether the vault has changed.

The client prints the response. Without a daemon, or when the daemon declines or takes no request
for two seconds, it runs the command itself. `client` and `protocol` import almost nothing, because
every recall starts with them.
"""
