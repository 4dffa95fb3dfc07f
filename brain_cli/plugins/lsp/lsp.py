"""`brain lsp`: the vault as a language server for editors, over stdin and stdout."""

from brain_cli.cli.common import CommonOptions
from brain_cli.errors import OK, BrainError
from brain_cli.extras import install_hint


def command(options: CommonOptions) -> int:
    """Serve this vault to an editor over the Language Server Protocol, until the editor closes the
    connection.

    It completes links, shows linked notes, finds backlinks, checks links and renames notes.
    """
    vault = options.open_vault()
    try:
        from brain_cli.plugins.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in (
            "pygls",
            "lsprotocol",
            "cattrs",
            "attrs",
        ):
            raise
        raise BrainError("The package pygls is not installed.", install_hint("lsp")) from None
    serve(vault, options.now)
    return OK
