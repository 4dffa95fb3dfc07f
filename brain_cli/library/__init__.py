"""A vault with its settings, index and history, as the verbs and other programs use it
(vault.py).
"""
