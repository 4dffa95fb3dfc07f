"""Keep secrets off the disk: replace tokens, keys, passwords and the contents of `.env` files in
every text.

A hook waits for this, so every repetition in a pattern is bounded, which keeps the time linear in
the text's length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

REDACTED = "[redacted]"
# Bits per character; words have less for their length, random tokens more.
MIN_ENTROPY = 3.0
# The beginnings that services give to their tokens; what follows must look random.
_PREFIXES = """
    LTAI github_pat_ ghp_ gho_ ghu_ ghs_ ghr_ glpat- gldt- glrt- glcbt- glptt- glft- glimt-
    glagent- gloas- glsoat-
    glffct- BBDC- ATATT3 ATCTT3 AIza ya29. npm_ pypi- hf_ dop_v1_ doo_v1_ dor_v1_ hvs. hvb. hvr.
    dapi lin_api_
    lin_oauth_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. NRAK- NRJS- NRII- NRRA- NRAA- HRKU-
    shpat_ shpca_
    shppa_ shpss_ figd_ figdr_ figo_ figor_ sbp_ sb_secret_ secret_ ntn_ pscale_tkn_ pscale_pw_
    pscale_oauth_
    dckr_pat_ dckr_oat_ nfp_ CLOJARS_ CFPAT- dt0c01. EZAK EZTK FLWSECK glc_ glsa_ fo1_ fm1r_ fm2_
    fio-u- pat-na1-
    pat-eu1- ico- AKCp PMAK- pnu_ pul- rdme_ rubygems_ tk-us- xkeysib- xsmtpsib- sntrys_ sntryu_
    sm_aat_
    shippo_live_ shippo_test_ squ_ sqp_ sqa_ sgp_ sq0atp- sq0csp- tskey- tfp_ AQVN YCAJ gsk_ xai-
    r8_ pplx- ops_eyJ
    aio_ 1//0 bkua_ CCIPAT_ ddp_ lsv2_pt_ lsv2_sk_ nvapi- pcsk_ napi_ phx_ duffel_live_
    duffel_test_ sha256~
    access-sandbox- access-development- access-production- v1.0- EAAC EAAM key- re_ vcp_
"""
# A token begins after no letter or digit, or after an escaped line end (`\n`) or character (`%20`).
_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_PREFIXED = (
    rf"{_BEGIN}(?P<name>)(?P<value>(?:{'|'.join(map(re.escape, _PREFIXES.split()))})"
    rf"[\w.~+/=-]{{16,}})"
)
# After a name that often has another meaning, such as `key`, only what looks random counts.
_KEYED = (
    "(?i)"
    r"""(?P<name>(?:key|creds?|salt|seed|signature|sid|dsn)(?![a-z])[\w.-]{0,20}["']?\s"""
    r"""{0,5}(?:[:=]>?)\s{0,5}["']?)"""
    r"(?P<value>(?=[^\s\d]{0,60}\d)(?-i:(?=\S{0,60}[a-z])(?=\S{0,60}[A-Z]))"
    r"(?:base64:)?[\w~+/=-]{16,})"
)
_TOKENS = (
    "(?s)"
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}.*?(?:-{4,5} ?END [A-Z0-9 "
    r"]{0,60} ?-{4,5}|\Z)"
    r"|Private-Lines: \d{1,4}\r?\n.*?(?:Private-MAC: \w+|\Z)|(?<!\d)\d{8,10}:[A-Za-z0-9_-]{30,}"
    rf"|{_BEGIN}(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Z])|AGE-SECRET-KEY-1[A-Z0-9]{8,}"
    r"|sk-[A-Za-z0-9_-]{16,}|[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w-]{10,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[\w/-]{10,}"
    r"|GOCSPX-[\w-]{10,}|SG\.[\w-]{10,}\.[\w-]{10,}|api/webhooks/\d{8,}/[\w-]{20,}"
    r"|eyJ[\w-]{8,2000}\.[\w-]{8,}\.[\w-]{4,}"
    # Discord, Twilio, Mailchimp, Azure, Terraform, Airtable.
    r"|[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}|SK[0-9a-fA-F]{32}\b|[a-f0-9]{32}-us\d{1,2}\b"
    r"|\$(?:apr1|[156y]|2[abxy]?|argon2\w{1,2}|scrypt)\$[^\s:\"'$]{1,80}\$[^\s:\"',]{8,}"
    r"|\$2[abxy]?\$\d\d\$[./\w]{20,}"
    r"|[\w~.]{3}\dQ~[\w~.-]{31,34}|[a-zA-Z0-9]{14}\.atlasv1\.[\w=-]{60,}"
    r"|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b)"
)
_NAME = (
    # Most letters are rejected by their first sign.
    r"(?=[pkmcswhtaeп密])(?:"
    r"passwd|password|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|密码"
    r"|passphrase|passcode|pwd|(?<![a-z])psk(?![a-z])"
    r"|\bpw(?![a-z])|secret(?!ar|e|ion|ly)(?: access)?(?: key)?|(?<![a-z])pat(?=[\s\"'\]]{0,9}[=:])"
    r"|token(?!s|iz)|credential|(?:api|access|account|private|encryption|signing|auth|master"
    r"|client)[ _-]?key"
    r"|auth(?![a-z])|(?:(?<=[_-])|(?<=db)|(?<=user))pass(?![a-z])"
    r"|(?:(?<=\n)|\A)pass(?=[ ]{0,3}=)"
    r")"
)
_VALUE = (
    r'"{3}[^\n]{3,}?"{3}|\\"[^"\n]{3,}?\\"|"(?:\\.|[^"\\\n]){3,}"'
    r"|'(?:\\.|[^'\\\n]){3,}'|[|>][+-]?\n(?:[ \t]+\S.*(?:\n|\Z))+"
    # The text may have been cut inside a quotation.
    r"""|["'][^"'\n]{3,}(?=\n|\Z)|[^\s"',;]{3,}"""
)
_QUOTED = r"""(?:"(?:\\.|[^"\\\n]){3,}"|'(?:\\.|[^'\\\n]){3,}')"""
_OPENING = r"(?:[:=({\[>.][ \t]{0,4})"
_MIXED = r"(?=[^\s|]{0,60}\d)(?=[^\s|]{0,60}[a-z])[^\s|\"']{8,}"
# In a sentence (“the password of the database is …”), a secret is a word with a digit or a sign
# among its letters. Names of algorithms (sha256), lengths (32-byte), addresses and files are not.
_ORDINARY = (
    r"(?:base|sha|md|hs|rs|es|ed|aes|oauth|argon|utf|v|http|x)-?\d|#|"
    r"\d{1,4}-?[a-z]+(?![\w!@#$%^+~-])|\d+[.:]\d"
)
_TELLING = (
    rf"(?!{_ORDINARY})(?=\S{{0,40}}\d\S{{0,40}}[a-z]|\S{{0,40}}[a-z]\S{{0,40}}\d"
    rf"|\S{{0,40}}\w[!@#$%^+~]{{1,3}}\w)"
    r"[^\s\"'`|()/\\]{5,80}[^\s\"'`|().,;:/\\]"
)
_UNLIKE_A_WORD = f"(?i){_TELLING}"
_IDENTIFIER = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
_OF = (
    r"(?:[ \t]{1,9}(?:of|for|on|at|für|von|zu[mr]?|d[aou]|de[rsl]?|dell[aoe]|pour|para"
    r"|di|от|для)\b(?:[ \t]{1,9}[\w-]{1,30}){1,5}?)?"
)
# A password that is piped into a program that asks for one.
_ASKS = (
    r"(?:sudo\b[^\n|;&<]{0,80}?\s(?:-\w{0,9}S|--stdin)\b|(?:sudo\s{1,5})?(?:chpasswd|passwd"
    r"|cryptsetup|kinit|smbpasswd)\b"
    r"|[^\n|;&<]{0,100}?--(?:password|passphrase)-(?:stdin|fd)\b)"
)
# The values of a Secret of Kubernetes, whatever their names are.
_SECRET_DATA = (
    "(?m)"
    r"^([ \t]*)(?:stringData|data):[ \t]*\n((?:\1[ \t]+\S.*(?:\n|\Z))+)"
)
_IS_SECRET = (
    "(?m)"
    r"^[ \t]*(?:kind:[ \t]*[\"']?Secret\b|stringData:)"
)
_PAIR = (
    "(?m)"
    r"(?P<name>^[ \t]+[\"']?[\w.-]+[\"']?:[ \t]*)(?P<value>[^\s|>].*|[|>].*(?:\n[ \t]{4,}.*)*)"
)
_PRIVATE = (
    "(?si)"
    r"<private>.*?(?:</private>|\Z)"
)
# Where the beginning of a text was cut off.
_PRIVATE_END = (
    "(?si)"
    r"\A.*</private>"
)
# The patterns, in order, each with parts of which a text in lower case has to have one: most texts
# have none, and to compile a pattern takes longer than to search a text. Each finds a name, which
# stays, and the value after it, which is replaced if it is a secret.
_REPLACED = (
    # A password that is piped into a program that asks for one.
    (
        ("echo", "printf"),
        (
            r"""(?P<name>\b(?:echo|printf)\s{1,9})(?P<value>(?:[^\n|;&'"]|'[^'\n]{0,200}+'"""
            r"""|"[^"\n]{0,200}+"){1,300}+)"""
            rf"(?=\|\s{{0,9}}{_ASKS})"
        ),
    ),
    (
        ("<<<",),
        (
            rf"""(?P<name>\b{_ASKS}[^\n|;&<]{{0,100}}<<<\s{{0,5}})(?P<value>'[^'\n]+'"""
            rf"""|"[^"\n]+"|\S+)"""
        ),
    ),
    # In an address: of a user, and of a query.
    (
        ("://",),
        (
            r"(?i)(?P<name>\b[a-z][a-z0-9+.-]{0,15}://(?:[^\s:/@]{0,100}:)?)("
            r"?P<value>[^\s/@]{1,200})(?=@)"
        ),
    ),
    (
        ("?", "&"),
        (
            r"(?i)(?P<name>[?&](?:sig|signature|key|code|x-amz-[a-z-]{1,30})=)("
            r"?P<value>[^&\s\"'#]{6,})"
        ),
    ),
    # “Basic authentication” is no secret.
    (
        ("bearer", "basic", "authorization"),
        (
            r"(?i)(?P<name>\b(?:bearer|basic|authorization:\s{0,20}token)\s{1,20})(?P<value>(?!("
            r"?-i:[A-Z]?[a-z]+)\b(?![.~+/=-]\w))[\w.~+/=-]{8,})"
        ),
    ),
    (
        ("authorization",),
        (
            r"""(?i)(?P<name>\bauthorization["']?\s{0,5}[:=]>?\s{0,5}["']?(?:(?:bearer|basic"""
            r"""|token|apikey|digest)\s{1,5}|(?:[a-z][\w-]{1,20}\s{1,5})?(?=[^\s"',;]{0,60}\d)("""
            r"""?=[^\s"',;]{6})))(?P<value>[^\s"',;]{3,})"""
        ),
    ),
    (
        ("cookie", "curl"),
        (
            r"(?i)(?P<name>\b(?:set-)?cookie(?:['\"]\s{0,3})?:[ \t]*['\"]?|\bcurl\b[^\n"
            r"|;&]{0,200}?\s(?:-b|--cookie)[ =]{0,3}['\"]?(?=[^\s='\"]{1,60}=))(?P<value>("
            r"?=[^\n'\"]{0,200}=)[^\n'\"]{3,})"
        ),
    ),
    (
        ("-",),
        (
            r"(?i)(?P<name>(?:^|\s)--?(?:\w{1,20}-){0,3}(?:password|passwd|passphrase|token"
            r"|(?:(?:src|dest)?(?:store|key)|db|ftp|http|smtp|user|admin)pass"
            r"|secret|credential|oauth2-bearer|(?:api|access|secret|private|auth)-?key)(?:="
            r"|\s{1,20}))"
            r"""(?P<value>"[^"\n]{1,200}"|'[^'\n]{1,200}'|\S{3,})"""
        ),
    ),
    (
        ("identified by",),
        rf"""(?i)(?P<name>identified by[ \t]{{0,9}}{_OPENING}{{0,2}})(?P<value>{_QUOTED})""",
    ),
    # `- name: DB_PASSWORD`, and on the next line `value: …`.
    (
        ("value",),
        (
            rf"""(?i)(?P<name>\bname["']?\s{{0,5}}:\s{{0,5}}["']?\w{{0,40}}("""
            rf"""?:{_NAME})\w{{0,40}}["']?\s{{0,5}},?\s{{0,40}}["']?value["']"""
            rf"""?\s{{0,5}}:\s{{0,5}})(?P<value>{_VALUE})"""
        ),
    ),
    (
        ("<",),
        (
            rf"(?i)(?P<name><(?!(?:label|input|button|a|p|h\d|option|span|div|li|td|th|\w*(?:Form"
            rf"|Text)\w*)\b|!)[^<>\n]{{0,80}}(?:{_NAME})[^<>\n]{{0,80}}>(?:<!\[CDATA\[)?)("
            rf"?P<value>[^<]{{3,}})"
        ),
    ),
    # `-p` takes a password only in these programs; in others it is a port or a parent folder.
    (
        ("-p", "-w", "-a", "-k", "-n", "-u", "passwd", "wpa_passphrase", "unlock"),
        (
            r"(?P<name>\b(?:(?:(?:mysql|mariadb|mongo)\w{0,10}|7z\w?|sshpass|passwd|(?:docker"
            r"|podman|registry|az|oc) login)\b[^\n|;&]{0,200}?\s-p|(?:un)?zip\b[^\n|;&]{0,200}?\s-P"
            r"|ssh-keygen\b[^\n|;&]{0,200}?\s-[NP]|lftp\b[^\n|;&]{0,200}?\s-u[ ]?[^\s,]{1,60},"
            r"|wpa_passphrase[ ]\S{1,60}[ ]|bw[ ]unlock[ ]"
            r"|ldap\w{3,9}\b[^\n|;&]{0,200}?\s-w|redis-cli\b[^\n|;&]{0,200}?\s-a|openssl\b[^\n"
            r"|;&]{0,200}?\s(?:-pass(?:in|out)?[ ]pass:|-[kK][ ])|openssl[ ]passwd[ ]("
            r"?:-\w{1,8}[ ]){0,3}|htpasswd[ ](?:-\w{1,6}[ ]){0,3}-\w{0,5}b\w{0,5}[ ]("
            r"?:[^\s-]\S{0,100}[ ]){1,2})[ =]?)(?P<value>(?:'[^'\n]+'|\"[^\"\n]+\"|[^\s-]\S{2,}))"
        ),
    ),
    (
        ("-u", "--proxy-user", "--auth"),
        (
            r"(?P<name>\s(?:-u|-U|--user|--proxy-user|--auth)[ =]{0,3}['\"]"
            r"?[^\s:%'\"]{0,100}[:%])(?P<value>[^\s'\"]{3,})"
        ),
    ),
    # A user with a password: `scott/…@db`, `login("me", "…")`, `user=me&pass=…`.
    (
        ("oracle", "sqlplus", "sqlldr", "expdp", "impdp"),
        (
            r"(?i)(?P<name>(?:\bjdbc:oracle:\w{1,9}:|\b(?:sqlplus|sqlldr|expdp|impdp)[ ]"
            r"(?:-\w{1,9}[ ]){0,3}(?:userid=)?)[\w$#]{1,60}/)(?P<value>[^\s/@]{3,})(?=@|\s|\Z)"
        ),
    ),
    (
        ("login", "auth", "credentials"),
        (
            r"""(?i)(?P<name>\b(?:log_?in|authenticate|(?:http|set)?_?basic_?auth|credentials"""
            r"""|auth["']?[ ]?[=:][ ]?)\(\s{0,20}(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'),\s{0,20})"""
            r"""(?P<value>"[^"\n]{3,200}"|'[^'\n]{3,200}')(?=\s{0,20},?\s{0,20}\))"""
        ),
    ),
    (
        ("user",),
        (
            r"""(?i)(?P<name>\buser(?:name)?["']?\s?[:=]\s?["']?[^\s"'&,;]{1,60}["']?"""
            r"""[\s,;&|]{1,20}["']?pass["']?\s?[:=]\s?)"""
            r"""(?P<value>"[^"\n]{3,}"|'[^'\n]{3,}'|[^\s"'&,;]{3,})"""
        ),
    ),
    (
        ("pin",),
        r"(?i)(?P<name>\bpin(?:[ -]?code)?[ ]?[:=][ ]?)(?P<value>\d{4,8})\b",
    ),
    (
        ("/user:",),
        rf"(?i)(?P<name>\s/user:\S{{1,60}}[ ])(?P<value>{_TELLING})",
    ),
    # `gh secret set NAME --body "…"`
    (
        ("--body", "--secret-string", "--value"),
        (
            r"""(?P<name>\bsecret[^\n|;&]{0,200}?\s--(?:body|secret-string|value)[ =])"""
            r"""(?P<value>"[^"\n]{3,}"|'[^'\n]{3,}'|[^\s"'-]\S{2,})"""
        ),
    ),
    # “use … as the password”, “log in with ann / …”
    (
        (" as ",),
        (
            rf"(?i)(?P<name>\b(?:use|with|enter|type|has|is)[ ][\"'`]?)(?P<value>{_TELLING})"
            rf"(?=[\"'`]?[ ]as[ ](?:the|my|our|a|its)?[ ]?[\w -]{{0,20}}?(?:{_NAME}))"
        ),
    ),
    (
        ("log in", "login", "sign in", "creds"),
        (
            r"(?i)(?P<name>\b(?:log[ ]?in|sign[ ]in|creds|logins?)(?:[ ](?:with|as|is|are))?"
            rf"[ :=]{{1,3}}[\w.@-]{{1,60}}[ ]?[:/][ ]?)(?P<value>{_TELLING})"
        ),
    ),
    (
        ("wifi:",),
        r"(?P<name>WIFI:(?:[A-Z]:[^;\n]{0,80};){0,4}P:)(?P<value>[^;\n]{3,})",
    ),
    (
        ("login",),
        r"(?P<name>\blogin\s{1,20}\S{1,200}\s{1,20}password\s{1,20})(?P<value>\S+)",
    ),
    (
        (":",),
        (
            r"(?m)(?P<name>^[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:)("
            r"?P<value>\S{3,})$"
        ),
    ),
    (
        ("<key>",),
        (
            rf"(?i)(?P<name><key>[^<\n]{{0,60}}(?:{_NAME})[^<\n]{{0,60}}</key>\s{{0,40}}<string>)"
            rf"(?P<value>[^<]{{3,}})"
        ),
    ),
    (
        ("--from-literal",),
        r"(?P<name>--from-literal[= ][^\s=]{1,100}=)(?P<value>\S+)",
    ),
    (
        (".env",),
        r"(?m)(?P<name>^\S{0,200}\.env[\w.-]{0,40}[:-]\d{1,9}[:-])(?P<value>.+)$",
    ),
)
# What stands between a name such as `password` and its value, and the value.
_AFTER_A_NAME = (
    # A call, a list, a statement of SQL: `set("password", "…")`, `"token": ["…"]`,
    # `PASSWORD '…'`, `Some("…")`. Possessive repetitions (`+`) avoid backtracking.
    (
        rf"""(?i)(?![\w.-]{{0,40}}[ ]?[!=]=)[\w.-]{{0,40}}+"""
        rf"""(?:\\?["'](?:[ \t]{{1,9}}value=)?)?+[ \t]{{0,9}}"""
        rf"""{_OPENING}{{0,4}}(?:["']?\w{{1,20}}+["']?{_OPENING}{{1,4}}){{0,2}},?[ \t]{{0,9}}"""
        rf"""(?P<value>{_QUOTED})(?![ \t]{{0,9}}:)"""
    ),
    (
        r"""(?i)[\w.-]{0,40}(?:[ ]\[\w{0,20}\]|\\?["'](?:\])?|[*_`]{1,3}|\?)?\s{0,20}"""
        r"""(?:[=-]>|:=|[=：]|:(?!:)|%3[ad])[*_]{0,3}\s{0,20}(?:```\w{0,10}\n|-[ ]{1,4})?"""
        rf"""(?P<value>{_VALUE})"""
    ),
    rf"""(?i)[\w.-]{{0,40}}[ ]?[!=]==?[ ]?["'](?P<value>{_TELLING})["']""",
    # After a space or in a table cell, only a word of mixed letters and digits counts.
    rf"(?i)[\w.-]{{0,20}}[ \t|]{{1,20}}(?:\d[ ])?(?P<value>{_MIXED})",
    # Alone on the next line.
    rf"(?i)[ \t]{{0,9}}\r?\n[ \t]{{0,9}}(?P<value>{_TELLING})[ \t]{{0,9}}(?=\r?\n|\Z)",
    # In a sentence: “the password of the database is …”.
    (
        rf"(?i)(?:\b|(?=是|为)){_OF}(?:[ \t]{{1,9}}(?:is|was|ist|war|lautet"
        rf"|est|es|è|é|это|to|auf)(?:[ \t]now)?[ \t:]|[ \t]{{0,9}}(?:是|为|[—–:=→-][ \t])):"
        rf"?\s{{0,9}}[\"'`“„]?(?P<value>{_TELLING})(?![\w(])"
    ),
)
_NAMES = f"(?i)(?:{_NAME})"
# The line above a table that has a column of secrets, up to the separator before or after its name.
_HEADER = (
    rf"(?im)^(?P<before>[^\n]{{0,200}}?(?P<separator>[|,;\t])[ ]?)?(?:{_NAME})[ ]?"
    r"(?(separator)(?=(?P=separator)|$)|(?P<after>[|,;\t]))[^\n]{0,200}\n"
)
# Values that name a secret elsewhere, or none at all, and the ends of names that have another
# value.
_HARMLESS = (
    "(?i)"
    r"""["'`]?(?:\$[{(]|\$[a-z_]+\W*$|\{\{|%\(|%\w+%|process\.env|import\.meta|os\.(?:environ|"""
    r"""getenv)|(?:\w+\.)?(?:get)?env[.(\[]|ENV\["""
    # A path, an address, a tag of YAML, a version, a type.
    r"""|<\w|/[a-z][\w.-]{0,30}/|[a-z][\w+.-]{0,20}://|![a-z]{2,12}(?!\S)"""
    r"""|[\^~>=<v]{0,2}\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+][\w.]{1,20})?["']?(?!\S)"""
    r"""|[a-z]+\[|(?-i:(?:[a-z]\w{0,15}\.)+[A-Z][A-Za-z]+)(?!\S)"""
    # An algorithm.
    r"""|(?:argon2\w{0,2}|scram-[\w-]{1,20}|oauth\d?|jwt|[hrep]s(?:256|384|512)|sha-?\d{1,3}"""
    r"""|[bs]crypt|pbkdf2[\w-]{0,20}|ed25519|aes-?\d{3}[\w-]{0,10}|md5|totp|saml|oidc)["']?(?!\S)"""
    r"""|(?:password|passwd|token|"""
    r"""secret|"""
    r"""api_?key)[^\w]*$|await\b|\[redacted|\*{3,}|x{3,}\b|"""
    r"""\w{0,20}placeholder|(?:await |new )?[a-z_][a-z_.]*\(|"""
    r"""(?:stored|\d{1,5}(?!\S))"""
    r"""|(?:self|this|req|request|config|settings|args|ctx|user|params|options|opts|props|cfg|"""
    r"""secrets|var|local|data|body|form"""
    r"""|session|client|app)\.[a-z]"""
    r"""|(?:none|null|nil|true|false|undefined|string|str|number|int|bool(?:ean)?|bytes|any|"""
    r"""required|optional|include|omit"""
    r"""|same-origin|bearer|basic|yes|no|object|list|dict)\b[^\w\s]*(?:\s|$))"""
)
_ABOUT = (
    "(?i)"
    r"(?:file|path|url|uri|name|ref|type|length|len|count|limit|expir\w{0,4}|ttl|policy|field"
    r"|reset|hint|store|provider|algorithm|method|encryption|scheme|rotation|strength"
    r"|endpoint|header|prefix|(?:token|password)_?key|format|required|enabled|class|label|input"
    r"|manager)[\"'\]`?]*\s*(?:[:=]|:=)>?\s*[\"']?$|\s-u ?\d+:$|env\w{0,10}[.(\[\s\"']*$"
)
_WORD = r"[a-zäöüß]+"


def redacted(text: str) -> str:
    """Return a text with every secret in it replaced, and what the user marked as private."""
    if "private>" in text.lower():
        text = re.sub(_PRIVATE_END, "[private]", re.sub(_PRIVATE, "[private]", text))
    text = re.sub(_TOKENS, REDACTED, text)
    for pattern in (_PREFIXED, _KEYED):
        text = re.sub(pattern, _without_random_value, text)
    for pattern in _patterns(text):
        text = re.sub(pattern, _without_value, text)
    for find in (_after_names, _in_columns):
        kept = []
        at = 0
        for start, end in find(text):
            kept += [text[at:start], REDACTED]
            at = end
        text = "".join((*kept, text[at:]))
    if re.search(_IS_SECRET, text):
        text = re.sub(
            _SECRET_DATA, lambda found: re.sub(_PAIR, rf"\g<name>{REDACTED}", found[0]), text
        )
    return text


def _patterns(text: str) -> Iterator[str]:
    """Yield the patterns that may match a text."""
    lower = text.lower()
    has_name = re.search(_NAMES, text) is not None
    for parts, pattern in _REPLACED:
        if any(part in lower for part in parts) and (has_name or _NAME not in pattern):
            yield pattern


def _after_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the secrets are that come after a name such as `password`."""
    patterns: list[re.Pattern[str]] = []
    at = 0
    for name in re.finditer(_NAMES, text):
        patterns = patterns or [*map(re.compile, _AFTER_A_NAME)]
        for pattern in patterns if name.start() >= at else ():
            if match := pattern.match(text, name.end()):
                # A name within a harmless value, such as a call, says nothing.
                at = match.end("value")
                if _is_secret(text[name.start() : match.start("value")], match):
                    yield match.span("value")
                    break


def _in_columns(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the secrets are in the columns of tables that are named so."""
    end = 0
    for header in re.finditer(_HEADER, text) if re.search(_NAMES, text) else ():
        separator = header["separator"] or header["after"]
        column = (header["before"] or "").count(separator)
        lines = re.compile(r".*\n?").finditer(text, header.end())
        for line in lines if header.start() >= end else ():
            cells = line[0].split(separator)
            if len(cells) <= max(1, column):
                break
            end = line.end()
            value = cells[column].strip(" \"'`\r\n")
            if re.fullmatch(_UNLIKE_A_WORD, value):
                start = text.index(value, line.start() + len(separator.join(cells[:column])))
                yield start, start + len(value)


def _without_value(match: re.Match[str]) -> str:
    name = match["name"]
    return f"{name}{REDACTED}" if _is_secret(name, match) else match[0]


def _is_secret(name: str, match: re.Match[str]) -> bool:
    """Return whether a value is a secret, and not a number, a variable, code or the begin of a
    sentence.
    """
    value = match["value"]
    if re.match(_HARMLESS, value) and not (
        value[:1].isdigit() and re.search("(?i)pass|pin|pw", name)
    ):
        return False
    if re.search(_ABOUT, name) or (name.endswith("//") and value.isalpha()):
        return False
    # “Token: stored in the keychain.”
    after = match.string[match.end() : match.end() + 2]
    is_prose = bool(re.fullmatch(_WORD, value)) and after[:1] == " " and after[1:].isalpha()
    return not (is_prose and name.rstrip()[-1:] == ":")


def secrets_in(text: str) -> frozenset[str]:
    """Return the secrets of a text that are unlike any ordinary word, to be replaced where nothing
    names them.
    """
    spans = [
        match.span("value")
        for pattern in _patterns(text)
        for match in re.finditer(pattern, text)
        if _is_secret(match["name"], match)
    ]
    found = (
        text[start:end].strip("\"'`*_.,;:)") for start, end in (*spans, *_after_names(text))
    )
    return frozenset(
        each
        for each in found
        if re.fullmatch(_UNLIKE_A_WORD, each) and not re.fullmatch(_IDENTIFIER, each)
    )


def _without_random_value(match: re.Match[str]) -> str:
    """Replace a value that has a digit or letters in both cases, and more entropy (bits per
    character) than repeated words.
    """
    text = match["value"]
    is_mixed = not (text.islower() or text.isupper()) or any(map(str.isdigit, text))
    shares = [count / len(text) for count in Counter(text).values()]
    is_random = is_mixed and -sum(share * log2(share) for share in shares) >= MIN_ENTROPY
    return f"{match['name']}{REDACTED}" if is_random else match[0]
