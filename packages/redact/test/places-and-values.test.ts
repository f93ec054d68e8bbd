import { describe, expect, it } from 'vitest'
import { secretRedactor } from '../src/secret-redactor.ts'

/** What people and programs take for passwords. */
const values: Readonly<Record<string, string>> = {
  'a word and digits': 'Garden1234',
  'a word, digits and a sign at its end': 'Winter268_',
  'words with digits for letters': 'tig3rThunder34',
  'words and a number': 'meadow-crystal-harbor-44',
  'letters and digits': 'pW4nQz8rTk2V',
  'letters, digits and signs': 'aR!7k_Pz2@qW',
  'lower case': 'q7w2zk9x4mv8t3',
  base64: 'nqjUJtY7r9GTfPOYL8LaMSvx0A4=',
}

/** Where a value stands, as `‹›`: what names it, takes it or asks for it. */
const places: Readonly<Record<string, readonly string[]>> = {
  'an option of a program that logs in': [
    "cf login -a api.example.com -u bo@x.example -p '‹›' -o org",
    'oc login https://api.example.com:6443 -u admin -p ‹›',
    String.raw`schtasks /create /tn sync /tr run.bat /ru CORP\svc /rp '‹›' /f`,
    'signtool sign /f cert.pfx /p ‹› /tr http://ts.example.com app.exe',
    'pdftotext -upw ‹› report.pdf -',
    'snmpwalk -v2c -c ‹› 10.0.0.9',
    'bundle config set gems.example.com bo:‹›',
    'rsync --password-file=<(echo ‹›) a.txt backup::docs',
    "hdiutil attach -stdinpass notes.dmg <<< '‹›'",
  ],
  'an option that says what it takes': [
    'helm upgrade pg ./chart --set auth.postgresPassword=‹› --wait',
    'mount -t cifs //nas/share /mnt -o username=svc,password=‹›,vers=3.0',
    'mysqladmin --user=root --password=‹› status',
  ],
  'an argument of a call that takes a password': [
    'client.connect("db.example.com", 22, "root", "‹›")',
    "[System.Net.NetworkCredential]::new('svc', '‹›')",
    "User.objects.create_superuser('boss', 'b@x.example', '‹›')",
    `jwt.verify(token, '‹›', { algorithms: ['HS256'] })`,
    "my $dbh = DBI->connect('dbi:Pg:dbname=x', 'app', '‹›');",
    'local ok, err = red:auth("‹›")',
    "Hash::make('‹›')",
    "File.write('config/keys/db_password', '‹›')",
    '{"file_path": "/run/secrets/db_password", "content": "     1→‹›"}',
  ],
  settings: [
    'Driver={ODBC Driver 18 for SQL Server};UID=sa;PWD={‹›};',
    '[smtp]\nhost = mail\nuser = noreply\npass = ‹›\n',
    'hosts:\n  web1 ansible_host=10.0.0.4 ansible_ssh_pass=‹›\n',
    '{"type": "random_password", "instances": [{"attributes": {"length": 20, "result": "‹›"}}]}',
    'WIFI:T:WPA;S:Office;P:‹›;;',
    'chpasswd:\n  list: |\n    root:pW4nQz8rTk2V\n    admin:‹›\n  expire: false',
    '[smtp.example.com]:587 noreply@x.example:‹›',
    'olcRootPW: ‹›\n',
    'nmcli connection modify office wifi-sec.psk ‹›',
    'rootPasswordData: "‹›"',
  ],
  'a dialogue': [
    '$ gopass show -o mail/bo\n‹›\n',
    '$ tr -dc a-z0-9 </dev/urandom | head -c 24\n‹›\n',
    "Enter passphrase for key '/home/bo/.ssh/id_rsa': ‹›",
    '? What is your database password? ‹›',
    'ftp> USER bo\n331 Password required\nftp> PASS ‹›\n',
    'a1 LOGIN bo@x.example "‹›"\na1 OK',
    '$ echo $DB_PASSWORD\n‹›\n',
  ],
  'a sentence': [
    'I changed the root password to ‹› yesterday',
    'Das Kennwort für die Datenbank ist ‹›, bitte nicht eintragen',
    'la password del database è ‹›',
    '数据库密码是 ‹›',
    'inloggen met bo / ‹›',
  ],
}

const { find } = secretRedactor()

describe.each(Object.entries(places))('%s', (_, texts) => {
  it.each(texts)('names any value: %s', (text) => {
    const missed = Object.entries(values).filter(([, value]) => {
      const full = text.replace('‹›', () => value)
      const at = full.indexOf(value)
      return !find(full).some(
        ({ start, end }) => start <= at && end >= at + value.replace(/[_=]$/, '').length,
      )
    })
    expect(missed).toEqual([])
  })
})

it.each([
  ['the block that holds a key', "'crypt' => [\n  'key' => '7c9aab923705012aec6a25e9152272e2'\n]"],
  ['the list that holds a key', "securityKeys:\n  S2_Unauthenticated: '5369A1B2C3D4E5F60718293A4B5C6D7E'\n"],
  ['the scheme before a number', 'Authorization: Splunk 0b1f9c3e-7d2a-4c55-9e1b-aa12cd34ef56'],
  ['the prompt before base64', '334 UGFzc3dvcmQ6\nc3VtbWVyIHNreQ==\n235 OK'],
  ['a word before a PIN', 'the door PIN is 164163'],
  ['its name behind it', 'tig3rThunder34 is the password of the staging box'],
  ['its name in brackets', "I set it to pW4nQz8rTk2V (that's the db password)"],
  ['the name of a network', 'SSID Office, key pW4nQz8rTk2V'],
  ['the columns of chap-secrets', '"bo" l2tpd "pW4nQz8rTk2V" *'],
  ['the stars of chap-secrets', 'bo\t*\tpW4nQz8rTk2V\t*\n'],
  ['a host without a dot', 'sftp as bo:pW4nQz8rTk2V@files and fetch it'],
  ['an address of a stream', 'push rtmp://a.example.com/live2/q7w2-k9x4-mv8t-z3p1-r6d0;'],
  ['a header with a signature', `X-Hub-Signature-256: sha256=${'7c9aab923705012a'.repeat(4)}`],
  ['a signature in JSON', `{"event":"push","signature":"${'7c9aab923705012a'.repeat(4)}"}`],
  ['a phrase that is said', 'my passphrase is meadow crystal harbor violet'],
  ['a list of keys', "session({ keys: ['pW4nQz8rTk2VaR7kPz2qWx9B'] })"],
  ['a here-string', 'realm join -U bo example.com <<< pW4nQz8rTk2V'],
  ['an address of an account', 'bo@x.example / Garden1234!'],
])('finds a value by %s', (_, text) => {
  expect(find(text)).toHaveLength(1)
})

it.each([
  'docker run -u root -p 8080:80 -e TZ=UTC nginx',
  'ssh -l deploy -p 2222 db.example.com',
  'PASS  src/auth/login2.test.ts',
  "'password' => 'required|string|min:8',",
  'pin: numpy==1.26.4',
  'password=newPassword2, token=token2',
  'cache:\n  key: node-modules-2f7a91bc03ee57aa91f02c88\n',
  'connect("localhost", 5432, "app", password)',
  'use admin / settings / users to open the page',
  'the passphrase is never stored anywhere else',
  "encrypted_key: 'pW4nQz8rTk2VaR7kPz2qWx9B'",
  `{"type":"thinking","thinking":"","signature":"${'EqoBCkgIARABGAIiQL8xk2Vw'.repeat(8)}=="}`,
  'the area is x * width2 * height',
  'git clone build:stable@mirror and read docs',
])('leaves a look-alike alone: %s', (text) => {
  expect(find(text)).toEqual([])
})
