"""Sections in, quotations out: what can be quoted of them, and which passages say most about a query.

`inline_text` reads markup, `blocks` and `quotable` cut a section into pieces, `windows` weighs neighbouring pieces,
`selection` chooses among the passages of several notes, `excerpt` shows one note from its matching section on.
"""
