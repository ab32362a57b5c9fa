"""Programs that play games by themselves: the playthrough agent, replays, explicit plans."""
