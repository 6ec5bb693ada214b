"""The command ``jointplay``: one file per command; what is heavy is imported when a command needs it."""
