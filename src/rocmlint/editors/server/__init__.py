"""The language server: editors show findings while a file is edited, saved or not.

The process that talks to the editor never lints: a child does, one request at a time, so that no
file can block or end the conversation.
"""
