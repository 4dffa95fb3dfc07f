"""Choose quotations: which parts of sections can be quoted, and which passages say most about a query.

`inline_text` removes markup, `blocks` and `quotable` cut a section into pieces, `windows` weighs groups of them,
`selection` chooses among the passages of several notes, `excerpt` shows one note from its matching section on.
"""
