"""The options of every command, the vault that they name, and the output of commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from brain_cli.cli import command_of, verbs
from brain_cli.errors import (
    AnswerFromFolderError,
    NoVaultHereError,
    UsageError,
    did_you_mean,
)
from brain_cli.extension import Verb, added_options, added_setting, hooks
from brain_cli.library.vault import Vault, folder_of_vault, vault_in
from brain_cli.printable import counted, one_line
from brain_cli.process import command_context
from brain_cli.record import Record
from brain_cli.render import View
from brain_cli.render.formats import AUTO, FORMATS, Row, is_template, list_text, load_format
from brain_cli.streams import say, write, write_json, write_lines

NOTHING: Mapping[str, object] = MappingProxyType({})
# The view of a list of what is no note.
NO_VIEW = View(vault="", folder="", body_of=str)


class CommonOptions(Record):
    """The options --vault, --now and --json, which may stand before or after any command, and those
    of plugins.
    """

    vaults: tuple[str, ...]
    now: str | None
    json: bool
    # Whether the command only reads, so that any folder of notes is a vault.
    reads: bool = False
    # The options that plugins add to the command, by parameter.
    added: Mapping[str, object] = NOTHING
    # The formats of what the command lists, and its --format and -n.
    lists: tuple[str, ...] = ()
    format: str = AUTO
    limit: int | None = None
    # Leave out the vaults that plugins have.
    without_plugins: bool = False
    # Ask all vaults of the user's configuration.
    everywhere: bool = False

    @property
    def vault(self) -> str | None:
        """The vault that the command line names; UsageError if it names several."""
        if self.everywhere or len(self.vaults) > 1:
            raise UsageError("This command works on one vault.", "Name it with --vault DIR.")
        return next(iter(self.vaults), None)

    @property
    def settings(self) -> dict[str, str]:
        """The settings of plugins that the command line names."""
        return {
            name: str(value)
            for name, value in self.added.items()
            if value is not None and added_setting(name)
        }

    def open_vault(self, flags: Mapping[str, object] = NOTHING) -> Vault:
        """Open the folder of notes that the options name; `flags` override its configuration."""
        try:
            folder = folder_of_vault(self.vault)
        except NoVaultHereError:
            from brain_cli.cli._any_folder import readable_folder

            folder = readable_folder(writes=not self.reads)
        return self._vault_in(folder, flags)

    def _vault_in(self, folder: str, flags: Mapping[str, object]) -> Vault:
        return vault_in(folder, self.now, {**flags, **self.settings})

    def open_any_vault(self, flags: Mapping[str, object] = NOTHING) -> Vault:
        """Open the vault that the options name, or several as one, or the one that a plugin has in
        its place.
        """
        if self.reads and (self.everywhere or len(self.vaults) > 1):
            # Imported here, because most commands are about one vault.
            from brain_cli.library.several import joined

            user = self._vault_in("", flags)
            folders = self.vaults or user.config.vaults
            if not folders:
                raise UsageError(
                    "No setting names the vaults that -a asks.",
                    "Name them: brain config set vaults ~/notes,~/work/docs",
                )
            return joined(
                user, [self._vault_in(folder_of_vault(each), flags) for each in folders]
            )
        try:
            folder = folder_of_vault(self.vault)
        except NoVaultHereError:
            folder = ""
        vault = self._vault_in(folder, flags)
        for hook in () if self.without_plugins else hooks("vault", vault.config):
            found: Vault | None = hook(vault, is_named=bool(self.settings))
            if found:
                return found
        return vault if folder else self.open_vault(flags)

    def again(self, *words: str) -> str:
        """Return a command line for the same notes, quoted for a shell."""
        import shlex

        return shlex.join(["brain", *words, *self.same_vault()])

    def same_vault(self) -> tuple[str, ...]:
        """Return the options with which another command finds the same notes."""
        vaults = (word for vault in self.vaults for word in ("--vault", vault))
        return (
            *("-a",) * self.everywhere,
            *vaults,
            *(word for name, value in self.settings.items() for word in (f"--{name}", value)),
        )

    def answer(self, document: Mapping[str, object], lines: Iterable[str]) -> None:
        """Print an answer to stdout: a document with --json, else lines."""
        if self.json:
            write_json(document)
        else:
            write_lines(lines, is_paged=True)

    @property
    def list_format(self) -> str:
        """The format of a list: from --json or --format, else the usual one on a terminal or in a
        pipe.
        """
        form = format_name(self.format)
        if self.format != AUTO or form in self.lists:
            return form
        return next(each for each in self.lists if each != "rich")

    def list_rows(
        self,
        name: str,
        rows: Sequence[Row],
        more: Mapping[str, object] = NOTHING,
        notes_of: Vault | None = None,
        heading: str = "",
    ) -> None:
        """Print a list, of notes if their vault is given; `more` stands beside it in its JSON
        document.
        """
        shown = rows[: self.limit]
        form = self.list_format
        if form == "json":
            write_json({name: [row.document for row in shown], **more})
        elif form == "rich" and notes_of and shown:
            # Imported here, because most lists go into a pipe, and rich takes long to import.
            from brain_cli.render.terminal import note_list

            keep_numbered(notes_of, [row.path for row in shown])
            write(note_list(shown, view(notes_of), heading), is_paged=True)
        elif shown:
            text = list_text(load_format(form), shown, view(notes_of) if notes_of else NO_VIEW)
            write(text, is_paged=form in ("plain", "markdown"))
        else:
            write("")  # fails if stdout is closed

    def report(self, did: str, document: Mapping[str, object], undo: str = "") -> None:
        """Print what was done to stdout, as one line or as JSON, and how to undo it to stderr."""
        self.answer(document, [one_line(did)])
        if undo:
            say(f"To undo: {undo}")


def keep_numbered(vault: Vault, paths: Iterable[str]) -> None:
    """Keep the paths of a list on a terminal, for `brain show 1`."""
    # Imported here, because lists in a pipe have no numbers.
    from brain_cli.library.names import keep_answer

    keep_answer(vault, paths)


def _prints_notes(form: str, verb: Verb) -> bool:
    """Return whether a verb lists notes that a template, or a format of a plugin, can print."""
    return "paths" in verb.lists and (
        is_template(form) or (bool(FORMATS.find(form)) and hasattr(load_format(form), "line"))
    )


def common_options(parameters: dict[str, Any], name: str) -> CommonOptions:
    """Take the options of every command, and those of plugins, out of the parameters of a
    command.
    """
    verb = verbs()[name]
    names = [option.parameter for option in added_options(name)]
    of_plugins = {name: parameters.pop(name) for name in names if name in parameters}
    # A hook names its vault, which the caller may name again.
    vaults = tuple(dict.fromkeys(parameters.pop("vault", None) or ()))
    everywhere = parameters.pop("everywhere", False)
    now = parameters.pop("now", None)
    json = parameters.pop("json", False)
    options = CommonOptions(
        vaults, now, json, verb.reads, of_plugins, verb.lists, everywhere=everywhere
    )
    if not verb.lists:
        return options
    form = parameters.pop("format", AUTO)
    limit = parameters.pop("limit", None)
    if form not in (AUTO, *verb.lists) and not _prints_notes(form, verb):
        raise UsageError(
            f"There is no format “{form}” here.", did_you_mean(form, (AUTO, *verb.lists))
        )
    return options._replace(
        format="json" if json else form, json=json or form == "json", limit=limit
    )


def run_verb(name: str, parameters: dict[str, Any]) -> int:
    """Run a command with the parameters of its command line; return the exit code."""
    command, request = command_of(name)

    def run(options: CommonOptions) -> int:
        if request:
            return command(request(options, **parameters))
        return command(options, **parameters)

    return answer_or_folder(common_options(parameters, name), run)


def answer_or_folder(options: CommonOptions, run: Callable[[CommonOptions], int]) -> int:
    """Run a command; if a plugin's vault cannot answer, run it on the folder of notes instead."""
    try:
        return run(options)
    except AnswerFromFolderError as error:
        alone = "This answer is from the vault alone, and is kept in the vault's history."
        say(f"{error.message} {alone}")
        return run(options._replace(without_plugins=True))


def format_name(name: str) -> str:
    """Resolve the format `auto`: rich on a terminal, else plain."""
    usual = "rich" if command_context().is_terminal else "plain"
    return usual if name == AUTO else name


def view(vault: Vault) -> View:
    """Return everything besides the answer that a format may use."""
    context = command_context()
    return View(
        vault=vault.files,
        folder=context.folder,
        body_of=vault.body,
        width=context.width,
        height=context.height,
        color=context.is_terminal and not context.environ.get("NO_COLOR"),
        editor_uri=vault.config.editor_uri,
        zone=vault.zone,
        roots=vault.roots,
    )


def followed(relinked: tuple[str, ...]) -> str:
    """Return how many other notes had their links changed, in words."""
    return f" (its links in {counted(len(relinked), 'note')} follow)" if relinked else ""
