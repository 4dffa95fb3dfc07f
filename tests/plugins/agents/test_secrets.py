"""No secret reaches the disk, in whatever form a tool prints it, and no text takes long to look
through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import sized
from growth import assert_linear

from brain_cli.plugins.agents.handoff import handoff
from brain_cli.plugins.agents.intake import without_secrets
from brain_cli.plugins.agents.observation import Observation, observed_use
from brain_cli.plugins.agents.transcript import read_transcript
from brain_cli.vault.secrets import redacted, secrets_in

if TYPE_CHECKING:
    from conftest import Brain, Vault

# Put together here, so that no scanner takes a made secret for a real one.
SECRET = "S3cr3t" + "ValueXyz9876"
# § stands for the secret.
FORMS = [
    "AWS_SECRET_ACCESS_KEY=§",
    '"password": "§"',
    '{\\"password\\": \\"§\\"}',
    'password = "with \\"quotes\\" §"',
    'password := "§"',
    "password => '§'",
    "password -> '§'",
    "password: |\n  §\n",
    "db_pass: §",
    "pwd=§",
    "auth_key: §",
    "ENCRYPTION_KEY=§",
    "<password>§</password>",
    "Authorization: Basic §",
    "authorization: token §",
    "Set-Cookie: sid=§; Path=/",
    "curl -u user:§ https://example.org",
    "curl --user 'user:§' https://example.org",
    "mysql -u root -p§ shop",
    "sshpass -p '§' ssh host",
    "docker login -u me -p §",
    "machine example.org login me password §",
    "kubectl create secret generic x --from-literal=key=§",
    "postgres://me:§@db/shop",
    "https://§a@example.org/x.git",
    "https://example.org/file?sig=§&a=b",
    "AccountKey=§",
    "https://hooks.slack.com/services/T00000000/B00000000/§",
    "whsec" + "_§",
    "GOCSPX" + "-§",
    "SG" + ".§.§",
    "xapp" + "-1-§",
    "bot123456789:" + "§" * 3,
    "-----BEGIN PGP PRIVATE KEY " + "BLOCK-----\n\n§\n-----END PGP PRIVATE KEY " + "BLOCK-----",
    "config/.env:3:FOO=§",
    '("password" "§")',
    "'password' '§'",
    '("password" . "§")',
    'set("api_key", "§")',
    'withPassword("§")',
    '{"token": ["§"]}',
    '{"password": {"value": "§"}}',
    'let token = String::from("§")',
    '<add key="Password" value="§"/>',
    '<string name="api_key">§</string>',
    'PASSWORD="""§"""',
    'password: "§',
    "ALTER USER me WITH PASSWORD '§'",
    "IDENTIFIED BY '§'",
    'vault login --password "one §"',
    "shop --client-secret §",
    "gpg --passphrase §",
    "ENV API_TOKEN §",
    "setx API_KEY §",
    "git config user.password §",
    "aws configure set aws_secret_access_key §",
    "password | §",
    "redis-cli -h cache -a §",
    "openssl rsa -in key.pem -passin pass:§",
    "curl -u :§ https://example.org",
    "smbclient //host/share -U user%§",
    "http --auth user:§ example.org",
    "the staging db password is § by the way",
    "Das Passwort für die Datenbank lautet §.",
    "pw: §",
    "mot de passe : §",
    "contraseña：§",
    "The passphrase of the backup is now “§”",
    '{"script": "A=1\\n' + "ghp" + '_§§§"}',
    "a=1%20" + "ghp" + "_§§§",
    "- name: DB_PASSWORD\n  value: §",
    '{"name": "DB_PASSWORD", "value": "§"}',
    "dbpass: §",
    "AWS Secret Access Key [None]: §",
    '"Set-Cookie": "sid=§; Path=/"',
    'curl -b "session=§" https://example.org',
    "**password**: §",
    "<password><![CDATA[§]]></password>",
    "mongosh -u me -p §",
    "zip -P § a.zip b",
    "ldapsearch -D cn=me -w §",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY " + "----\n§\n---- END",
    "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n§\nPrivate-MAC: abc",
    "secret access key is §",
    "my AWS secret access key is §.",
    "the api key is §",
    "API key: §",
    "access key = §",
    "client secret: §",
    "os.environ['API_KEY'] = '§'",
    'os.environ["DB_PASSWORD"]="§"',
    'config["password"] = "§"',
    "PASSWORD%3D§",
    "url?password%3D§%26x",
    "password:\n  §",
    "The password:\n\n§",
    "password:\n```\n§\n```",
    "apiVersion: v1\nkind: Secret\nstringData:\n  foo: §\n  bar: x\n",
    "stringData:\n  username: admin\n  pw2: §\n",
    "kind: Secret\ndata:\n  foo: §\n",
    "db.example.org:5432:shop:ann:§",
    "*:*:*:ann:§",
    "ann:$apr1$abcdefgh$§",
    "root:$6$salt$§:19000:0",
    "GITHUB_PAT=§",
    "GH_PAT: §",
    "AZURE_DEVOPS_EXT_PAT=§",
    "my pat: §",
    "htpasswd -b .htpasswd ann §",
    "htpasswd -nb ann §",
    "htpasswd -bc file ann §",
    "openssl enc -aes-256-cbc -k § -in a",
    "openssl rsa -passin pass:§",
    "openssl passwd -6 §",
    "openssl pkcs12 -passout pass:§",
    "le mot de passe est §",
    "mot de passe : §",
    "la contraseña es §",
    "la password è §",
    "пароль: §",
    "пароль от базы: §",
    "пароль — §",
    "密码是§",
    "密码：§",
    "a senha é §",
    "wachtwoord is §",
    "<key>apiKey</key>\n<string>§</string>",
    "password=§",
    "--password §",
    "token: §",
    "{'password': '§'}",
    "const apiKey = '§';",
    "private key: §",
    "export TOKEN=§",
    "MYSQL_PWD=§ mysql",
    "Bearer §",
    "https://ann:§@h/",
    "set password to §",
    "client_secret=§",
    "signing key: §",
    "auth: §",
    "password is §",
    "Passwort lautet §",
    "$argon2id$v=19$m=65536$§",
    "user:$5$rounds$§",
    "1/" + "/0§§",
    "spring.datasource.password=§",
    '"connectionString": "Server=db;User Id=sa;Password=§;Encrypt=true"',
    '$env:API_KEY = "§"',
    "set -gx GITHUB_TOKEN §",
    "otpauth://totp/shop:ann?secret=§&issuer=shop",
    '{"auths": {"ghcr.io": {"auth": "§"}}}',
    "X-Api-Key: §",
    "ansible_become_pass: §",
    'network={\n  ssid="home"\n  psk="§"\n}',
    "keytool -list -keystore a.jks -storepass §",
    "sqlplus scott/§@orcl",
    "lftp -u ann,§ ftp.example.org",
    "ssh-keygen -t ed25519 -N '§' -f k",
    'smtp.login("me@example.org", "§")',
    "user: ann\npass: §",
    "WIFI:S:home;T:WPA;P:§;;",
    "username admin privilege 15 secret 0 §",
    "X-Vault-Token: §",
    'psql "host=db user=me password=§"',
    "define('DB_PASSWORD', '§');",
    "curl -d 'user=ann&pass=§' https://x.org",
    "wpa_passphrase home §",
    "my wifi password at home = §",
    "jdbc:oracle:thin:scott/§@//db:1521/x",
    "aws_session_token = §",
    "createUser({user: 'ann', pwd: '§'})",
    "PrivateKey = §a=",
    "bw unlock §",
    "nmcli dev wifi connect home password §",
    "psk=§",
    "jarsigner -storepass §  a.jar me",
    "keytool -genkey -keypass §",
    "imap.authenticate('ann', '§')",
    "requests.get(u, auth=HTTPBasicAuth('me', '§'))",
    "requests.get(u, auth=('me', '§'))",
    "user=ann;pass=§",
    "username: ann, pass: '§'",
    "expdp scott/§ directory=x",
    "password 7 §",
    "the vpn password for the office = §",
    "ssh-keygen -p -P § -N '' -f k",
    "WIFI:T:WPA;S:a;P:§;H:true;;",
    "--dbpass §",
    "curl --key-pass §",
    "spring:\n  datasource:\n    password: §",
    'gh secret set DEPLOY_KEY --body "§"',
    "aws secretsmanager put-secret-value --secret-id db --secret-string §",
    "le mot de passe du serveur est §",
    "la password della posta è §",
    "use § as the password for staging",
    "log in with admin / §",
    "staging creds: admin:§",
    "passwords:\n  - §",
    "user,password\nann,§",
    "| service | password |\n|---|---|\n| db | main |\n| mail | § |",
    "| password | service |\n|---|---|\n| § | mail |",
    'if password == "§":',
    "'auth': ('ann', '§')",
    "host = mail\npass = §",
    "az login -u ann -p §",
    "net use z: /user:ann §",
    "new password → §",
    "Password\n§\n",
    "APP_KEY=base64:§",
]
# A made token of each service, in the form that it documents. ¤ stands for a random hexadecimal
# digit.
TOKENS = {
    "Discord": "M§abcdef.Gabc12.§§",
    "HashiCorp": "hvs" + ".CAESI§§§§§",
    "Databricks": "dapi" + "¤" * 32,
    "Linear": "lin_api" + "_§§§",
    "Doppler": "dp.pt" + ".§§§",
    "New Relic": "NRAK" + "-§§",
    "Heroku": "HRKU" + "-§§§",
    "Shopify": "shpat" + "_" + "¤" * 32,
    "Figma": "figd" + "_§§§",
    "Supabase": "sbp" + "_" + "¤" * 40,
    "Notion": "ntn" + "_§§§",
    "old Notion": "secret" + "_§§§",
    "PlanetScale": "pscale_tkn" + "_§§§",
    "Twilio": "SK" + "¤" * 32,
    "Grafana": "glsa" + "_§§§",
    "Docker": "dckr_pat" + "_§§",
    "Terraform": "abcdefGHIJ1234" + ".atlasv1.§§§§",
    "Mailchimp": "¤" * 32 + "-us12",
    "a key by its entropy": 'signing.key = "q7Zp2LmX9vRt4KbN8sWd"',
    "a password piped into sudo": "echo '§' | sudo -S apt update",
    "a password printed into sudo": "printf '%s\\n' § | sudo -kS -p '' id",
    "a password piped into docker": "echo § | docker login -u me --password-stdin",
    "a password in a here string": "sudo -S id <<< '§'",
    "a short bearer": 'curl -H "Authorization: Bearer s3cr3"',
    "a header without a scheme": "curl -H 'Authorization: §' https://example.org",
    "a header with its own scheme": "curl -H 'authorization: ApiToken §' https://example.org",
    "an option with a bearer": "curl --oauth2-bearer § https://example.org",
}
HARMLESS = [
    'assert token == "END"',
    'const TOKEN_KEY = "auth_token"',
    "pin version 1.2.3",
    "# Password\n\nAt least 12 characters.",
    "secretary: Ann Smith",
    "token: tok_placeholder",
    "tests/auth/test_password.py::test_reset",
    "password::verify(input)",
    "| option | password |\n|---|---|\n| type | text |\n| length | 12 to 40 |",
    "name,token\nif,IF\nend,END",
    "use the vault as the password store",
    "log in with Google / GitHub",
    "creds: see the vault",
    "key-value-store-of-the-shop",
    "the secret_manager_of_the_cloud holds it",
    "re_export_all_of_the_modules",
    "cache_key: user-profile-2024-settings",
    "echo done | sudo tee /etc/motd",
    "authorization: required for every request",
    "see commit 0123456789abcdef0123456789abcdef01234567",
    "550e8400-e29b-41d4-a716-446655440000",
    "test_the_token_of_a_service_is_found",
    "mkdir -p docs/decisions/archive",
    "docker run -p 8080:8080 shop",
    "author: Jane Austen",
    "https://example.org/a?page=second",
    "12 tests pass: all of them",
    "the primary_key: identifier",
    "He said: tokens are counted by the tokenizer",
    "the token is valid",
    '"token": 5, "name": "shop"',
    '"tokens": {"input": 5, "output": 17}',
    "passwords are hashed with argon2id",
    "| token | the meaning of it |",
    "shop --max-tokens 4096 --token-limit 5",
    "access key rotation every 90 days",
    "rsync -a host:/from to",
    'rotate the token in "config.yaml"',
    "def set_password(self, name: str) -> None:",
    "the password is wrong!",
    "the password is required, and stored in 1Password",
    "Das Passwort ist falsch!",
    "the token is base64-encoded and signed with HS256",
    "the token is a 32-byte string, valid for 30 days",
    "the token is HS256-signed",
    "the secret sauce is Python3.12",
    "the token count is 4096",
    "the secret is in ops/secrets.yml",
    "--- PASS: TestUser2 (0.00s)",
    "- name: TOKENIZER\n  image: shop",
    "max_tokens: 4096",
    "maxTokens: 4096",
    "max_tokens=4096",
    "token_count: 12",
    "tokens: 128",
    "process.env.API_KEY",
    "const token = process.env.TOKEN;",
    "apiKey: process.env.API_KEY,",
    "password: ${DB_PASSWORD}",
    "PASSWORD=${X}",
    "PASSWORD=$DB_PASSWORD",
    "token: ${{ secrets.TOKEN }}",
    "password = os.environ['DB_PASSWORD']",
    "password = os.getenv('PW')",
    "os.environ['API_KEY']",
    "Basic authentication was removed",
    "Basic authentication is off",
    "Bearer authentication",
    "bearer tokens are",
    "Token: stored in the keychain",
    "token: string;",
    "password: string",
    "password?: string;",
    "token: str = ''",
    "docker run -u 1000:1000 x",
    "password: null",
    "secret: true",
    "auth: none",
    "tokenizer: bert-base-uncased",
    "password_file: /run/secrets/db",
    "secretName: db-creds",
    "secretKeyRef:\n  name: x",
    "PASSWORD_MIN_LENGTH = 12",
    "passwordPolicy: strict-default",
    "token_type: bearer",
    "credentials: 'include'",
    "credentials: include",
    "tokenUrl: https://x.org/token",
    "password = getpass.getpass()",
    "token = get_token()",
    "const token = await getToken();",
    "this.password = password;",
    "self.password = password",
    "password: req.body.password",
    "password = user.password",
    "password: <your password>",
    "password: {{ .Values.password }}",
    "the token bucket has 10 tokens",
    "password reset: see docs",
    "Cookie: we need consent",
    '<label for="password">Password</label>',
    '<input type="password" name="pw">',
    "ssh://git@github.com/a/b.git",
    "git@github.com:a/b",
    "password: ********",
    "auth: required",
    "author: Ada Lovelace",
    "key: value",
    "secret santa is on friday",
    "token: Token",
    "the password is required",
    "the password is stored in the vault",
    "API key: see the wiki",
    "access token expires in 3600 s",
    "password field: hidden",
    "def login(user, password):",
    "login(password=password)",
    "if password == other:",
    "passwordless login: enabled",
    "tokens_used: 300",
    "token_limit: 8000",
    "Authorization: required",
    "kind: ConfigMap\ndata:\n  color: blue\n",
    "a.c:10:5:note:unused",
    "curl -u $USER:$PASS https://x",
    "--token $TOKEN",
    "--token-file tok",
    "postgres://localhost/db",
    "password: yes",
    "key=value",
    "primary key: id",
    "foreign key: user_id",
    "password: must have 12 characters",
    "secret: the sauce is old",
    "Secret: none",
    "The passphrase: ask Ann",
    "auth0: false",
    "pwd: /home/ann",
    "pat: the dog",
    "zip -r a.zip docs",
    "token ring networks are old",
    "password_hash_algorithm: argon2id",
    "keyboard: us-intl-2024",
    "SECRET_KEY_BASE is read from credentials.yml.enc",
    "pass: 12, fail: 0",
    "author_token_count=512",
    "<Key>Escape</Key>",
    "import { getToken } from './auth'",
    "auth: { persist: false }",
    "git checkout -b feature/password-reset-v2",
    "throughput: 142.7 tokens/sec",
    '"type": "password", "autocomplete": "current-password"',
    "npx playwright test auth.spec.ts",
    "The secret was rotated on 2026-11-02.",
    "token = lexer.next_token()",
    'assert response.json()["token"] == expected',
    "PWD=/data/shop2",
    "password: !Ref DBPassword",
    'password: "{{resolve:secretsmanager:MySecret:SecretString}}"',
    "secret: op://shop/db/password",
    '"jsonwebtoken": "^9.0.2",',
    '"next-auth": "^4.24.5"',
    "passport-jwt: ^4.0.1",
    "token_endpoint=https://id.example.org/oauth2/token",
    "auth: see nginx.conf",
    "| password | varchar(255) |",
    "password varchar(255) NOT NULL",
    "password: z.string().min(12)",
    "token: Optional[str] = None",
    "secret: v1.Secret",
    "docs: https://example.org/auth?tab=readme2",
    "passes 3 of 4 checks",
    "credential helper: osxkeychain",
    "password strength: 3/4",
    "auth: OAuth2",
    "token: JWT (RS256)",
    "API keys: 3 active",
    "pwd: /home2/ann",
    "OLDPWD=/build/1234",
    "passed=12 failed=0",
    "the password must contain a digit, e.g. 1 of 0-9",
    "signing key: see keys/README.md",
    "auth_method: scram-sha-256",
    "password_encryption = scram-sha-256",
    "tokenizer: cl100k_base",
    "token_budget: 4k",
    "accessKeyId: process.env.AWS_ID",
    "KEY_COUNT=12",
    "ps -u ann,bob",
    "ssh-keygen -t ed25519 -C ann@host -f key1",
    "ssh-keygen -f k -N ''",
    "unlock the door with 42abc",
    '"passport": "~0.7.0"',
    '"@auth/core": "0.18.1"',
    "token: models.Token",
    "secret: vault://kv/shop",
    "auth: aes-256-gcm",
    "pass=true user=3",
    "user: 3, pass: yes",
    "login(user, password)",
    "login('ann', password)",
    'authenticate("GET", "/users/1")',
    "password: List[str]",
    "token: Dict[str, int]",
    "pwd=/opt2/x",
    "wifi: connected at home",
    "credentials: !Sub value",
    "sha256: the digest of token",
    "auth = basic_auth(user, pw)",
    "secret: >=1.2.0",
    "api-key: 2.0.1",
    "user=ann&passed=3",
    "token-type = JWT",
    "users pass: all of them",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_found_in_every_usual_form(form: str) -> None:
    assert SECRET not in redacted(form.replace("§", SECRET))


@pytest.mark.parametrize("service", TOKENS)
def test_the_token_of_a_service_is_found(service: str) -> None:
    digits = cycle("9f3a17c05be2d846")
    text = "".join(
        next(digits) if letter == "¤" else letter for letter in TOKENS[service]
    ).replace("§", SECRET)
    kept = redacted(f"before {text} after")
    assert SECRET not in kept
    assert kept.startswith("before ")
    assert not re.search(r"[0-9a-f]{32}|q7Zp|s3cr3", kept), kept


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_that_only_looks_like_a_secret_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password: swordfish\n", "password: [redacted]\n"),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=[redacted]"),
        ("PASSWORD: 123456", "PASSWORD: [redacted]"),
        ("pin: 482913", "pin: [redacted]"),
        ("a <private>b\nc</private> d", "a [private] d"),
        ("a <PRIVATE>b</PRIVATE> c <private>d", "a [private] c [private]"),
        ("cut off here</private> d", "[private] d"),
    ],
)
def test_weak_passwords_and_private_passages_are_never_kept(text: str, kept: str) -> None:
    assert redacted(text) == kept


@pytest.mark.parametrize("variable", ["BRAIN_BY_AGENT", "CLAUDECODE", "GEMINI_CLI"])
def test_what_an_agent_adds_has_no_secrets_and_what_a_person_adds_stays(
    vault: Vault, variable: str
) -> None:
    text = f"The key is stored.\n\nAPI_KEY={SECRET}\n<private>not this</private>\n"
    for title, environ in (
        ("By a person", {}),
        (f"By an agent, token={SECRET}", {variable: "1"}),
    ):
        answer = vault.brain("add", title, "--vault", vault.folder, stdin=text, env=environ)
        note = (vault.folder / answer.out.strip()).read_text()
        assert (SECRET in note, "not this" in note) == (not environ, not environ)
        assert ("replaced by [redacted]" in answer.err) == bool(environ)
        more = vault.brain(
            *("add", "--append", answer.out.strip(), "--vault", vault.folder),
            stdin=f"password: {SECRET}x",
            env=environ,
        )
        note = (vault.folder / answer.out.strip()).read_text()
        assert (f"{SECRET}x" in note) == (not environ)
        assert ("replaced by [redacted]" in more.err) == bool(environ)


def test_an_import_says_that_secrets_were_replaced(vault: Vault, tmp_path: Path) -> None:
    entries = [
        {
            "sessionId": "s",
            "message": {"role": "user", "content": f"Never use token={SECRET} here."},
        },
        {"message": {"role": "assistant", "content": "Noted. The docs are not updated yet."}},
    ]
    file = tmp_path / "s.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)))
    answer = vault.brain("import", "transcripts", file, "--vault", vault.folder)
    assert "Secrets in 1 note were replaced by [redacted]." in answer.err
    [note] = (vault.folder / "imported").rglob("*.md")
    assert SECRET not in note.read_text()


PRINTED = f"FOO={SECRET}\n  BAR='{SECRET}\n{SECRET}'\n3→BAZ={SECRET}\n     4\tQUX={SECRET}\nYAML: {SECRET}\n{SECRET}\n"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "cat .env",
            "cat -n .env.local",
            "grep . config/.env",
            "head -3 prod.env",
            "base64 .env",
            "sed -n 1,3p .envrc",
        ),
        *(
            "env",
            "printenv",
            "make && env | sort",
            "export -p",
            "cat ~/.netrc",
            "cat ~/.aws/credentials",
        ),
        *(
            "cat ~/.ssh/id_ed25519",
            "cat config/secrets.yml",
            "pass show mail",
            "vault kv get secret/shop",
        ),
        "aws secretsmanager get-secret-value --secret-id shop",
    ],
)
def test_a_command_that_prints_secrets_leaves_nothing_but_their_names(command: str) -> None:
    found = without_secrets(Observation("1", 1.0, tool="Bash", input=command, response=PRINTED))
    assert SECRET not in found.response
    assert "FOO=" in found.response


@pytest.mark.parametrize(
    "file", [".env", "/home/me/shop/.env.local", "id_rsa", "deploy/prod.env", "certs/shop.pem"]
)
def test_a_file_of_secrets_that_a_tool_reads_leaves_nothing_but_names(file: str) -> None:
    found = without_secrets(Observation("1", 1.0, tool="Read", files=(file,), response=PRINTED))
    assert SECRET not in found.response


def test_a_program_that_only_uses_an_env_file_keeps_its_output() -> None:
    used = Observation(
        "1", 1.0, tool="Bash", input="source .env && make", response="built 12 pages\nFOO=bar"
    )
    found = without_secrets(used)
    assert "built 12 pages" in found.response
    assert "bar" not in found.response


def test_a_handoff_has_no_key_of_several_lines_and_no_token_that_is_cut(tmp_path: Path) -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n{SECRET}\n-----END RSA PRIVATE KEY-----"
    token = "ghp_" + SECRET + "a1B2c3D4e5" * 40
    said = f"We decided to use this key because it is new:\n{key}\nNext step: set the token {token}"
    path = tmp_path / "transcript.jsonl"
    messages = [("user", f"Rotate the keys {token}"), ("assistant", said)]
    lines = [
        json.dumps({"message": {"role": role, "content": [{"type": "text", "text": text}]}})
        for role, text in messages
    ]
    path.write_text("\n".join(lines))
    draft = handoff(read_transcript(str(path)), "s", "", 1.0)
    assert draft
    assert SECRET not in draft.text + draft.title


def test_a_password_that_was_recognized_once_is_replaced_in_all_of_the_note(
    tmp_path: Path,
) -> None:
    password = "Winter-" + "Kasse-26!"
    use = {
        "type": "tool_use",
        "id": "1",
        "name": "Bash",
        "input": {"command": f"PGPASSWORD='{password}' psql"},
    }
    said = [
        ("user", f"Never use {password} in tests."),
        ("assistant", "Understood. The docs are not updated yet."),
    ]
    entries = [
        {"message": {"role": role, "content": [{"type": "text", "text": text}]}}
        for role, text in said
    ]
    entries.insert(1, {"message": {"role": "assistant", "content": [use]}})
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(map(json.dumps, entries)))
    draft = handoff(read_transcript(str(path)), "s", "", 1.0)
    assert draft
    assert password not in draft.text + draft.title
    assert "Never use [redacted] in tests." in draft.text


SLOW: dict[str, Callable[[int], str]] = {
    "empty lines": lambda n: "\n" * n,
    "web tokens": lambda n: "eyJaaaaaaaa-" * (n // 12),
    "letters": lambda n: "a" * n,
    "names": lambda n: "token." * (n // 6),
    "names and spaces": lambda n: "token" + " " * n,
    "begun keys": lambda n: "-----BEGIN " * (n // 11),
    "options": lambda n: " -p" * (n // 3),
    "programs": lambda n: "mysql " * (n // 6),
    "files": lambda n: ".env." * (n // 5),
    "quotes": lambda n: "token='" * (n // 7),
    "blocks": lambda n: "token: |\n" * (n // 9),
    "signs": lambda n: "token" + ":({[" * (n // 4),
    "words and signs": lambda n: "token a.b.c." * (n // 12),
    "open quotations": lambda n: 'token "' * (n // 7),
    "columns": lambda n: "token | " * (n // 8),
    "tables": lambda n: "a|token|b\n" * (n // 10),
    "wide tables": lambda n: "a|token|b\n" + "x|" * (n // 2),
    "headers": lambda n: "a,token\nx\n" * (n // 10),
    "comparisons": lambda n: "token ==" * (n // 8),
    "logins": lambda n: "login a: " * (n // 9),
    "uses": lambda n: "use a1b as " * (n // 11),
    "commands": lambda n: "secret set " * (n // 11),
    "mixed words": lambda n: "token a1" + "x" * n,
    "open elements": lambda n: "<token " * (n // 7),
    "options with names": lambda n: " --a-b-token" * (n // 12),
    "pipes": lambda n: "echo " * (n // 5),
    "quoted pipes": lambda n: "echo '" * (n // 6),
    "programs that ask": lambda n: "sudo -S " * (n // 8),
    "authorizations": lambda n: "authorization: a " * (n // 17),
    "prefixes": lambda n: "hvs.dapi" * (n // 8),
    "keys": lambda n: "key=" * (n // 4),
    "discord": lambda n: "M" * 25 + "." + "Nabc-" * (n // 5),
    "told": lambda n: "token of " * (n // 9),
    "told words": lambda n: "password is " * (n // 12),
    "long told words": lambda n: "password is " + "a1" * (n // 2),
    "names with values below": lambda n: "name: token " * (n // 12),
    "curl": lambda n: "curl -b " * (n // 8),
    "programs that read passwords": lambda n: "redis-cli " * (n // 10),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SLOW)
def test_looking_for_secrets_takes_time_by_the_length_of_the_text(name: str) -> None:
    def looked_through(text: str) -> None:
        without_secrets(
            Observation(
                "1", 1.0, tool="Bash", input=f"cat .env {text}", response=text, title=text
            )
        )

    assert_linear(looked_through, SLOW[name], sized(1_500, everyday=500))


@pytest.mark.exhaustive
def test_a_broken_payload_of_any_length_is_kept_aside_in_part(brain: Brain) -> None:
    answer = brain(
        "capture", stdin='{"tool_response": "' + "word " * sized(1_000_000, everyday=300_000)
    )
    assert answer.code == 0
    [kept] = (brain.state / "capture" / "aside").iterdir()
    assert kept.stat().st_size <= 1_000_000


def test_a_key_of_which_a_long_output_keeps_the_end_is_no_more_than_a_mark() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    key = "-----BEGIN PRIVATE KEY-----\n" + f"{line}\n" * 20 + "-----END PRIVATE KEY-----\n"
    for lines in range(0, 20, 3):
        # The cut falls on another line of a key each time.
        printed = "noise\n" * 6_000 + key * 40 + "done\n" * (900 + lines * 10)
        kept = without_secrets(observed_use("Bash", {"command": "make"}, printed))
        assert line not in kept.response
        assert kept.response.endswith("done\n")


def test_a_transcript_keeps_no_secret_of_a_tool(tmp_path: Path) -> None:
    called = {
        "type": "tool_use",
        "id": "1",
        "name": "Bash",
        "input": {"command": f"deploy test --password {SECRET}"},
    }
    printed = {
        "type": "tool_result",
        "tool_use_id": "1",
        "content": f"error: password={SECRET}",
    }
    file = tmp_path / "session.jsonl"
    parts = (("assistant", called), ("user", printed))
    file.write_text(
        "\n".join(
            json.dumps({"message": {"role": role, "content": [part]}}) for role, part in parts
        )
    )
    [failure] = read_transcript(str(file)).failing()
    assert "deploy test" in failure
    assert SECRET not in failure


def test_a_name_in_code_is_not_replaced_elsewhere_as_a_secret_is() -> None:
    assert secrets_in("token = next_token1\npassword: `Tr0ub4dor9`.") == {"Tr0ub4dor9"}
