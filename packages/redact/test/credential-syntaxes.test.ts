import { describe, expect, it } from 'vitest'
import { secretRedactor } from '../src/secret-redactor.ts'

const redactor = secretRedactor()
const password = 'pW4nQz8rTk2V'
const token = 'uY7cR2mK9dVx4LpQ1sTw8ZbN5gHj3AeFo6Ki'

const seed = 'meadow crystal harbor summer dragon winter orange copper guitar shadow thunder pepper'

/** What remains of a text. */
function clean(text: string): string {
  let at = 0
  let left = ''
  for (const { start, end } of redactor.find(text)) {
    left += `${text.slice(at, start)}*`
    at = end
  }
  return left + text.slice(at)
}

const found: Readonly<Record<string, readonly (readonly [text: string, left: string])[]>> = {
  'options of programs': [
    [`curl -u admin:'${password}' https://h.example.com`, "curl -u admin:'*' https://h.example.com"],
    [`curl -uadmin:${password} https://h.example.com`, 'curl -uadmin:* https://h.example.com'],
    [`htpasswd -b .htpasswd bo ${password}`, 'htpasswd -b .htpasswd bo *'],
    [`htpasswd -nbB bo "${password}" > file`, 'htpasswd -nbB bo "*" > file'],
    [`ldapsearch -x -w ${password} -b dc=x`, 'ldapsearch -x -w * -b dc=x'],
    [`openssl rsa -passin pass:${password} -in a.pem`, 'openssl rsa -passin pass:* -in a.pem'],
    [`7z a -p${password} out.7z a`, '7z a -p* out.7z a'],
    [`sqlplus scott/${password}@orcl`, 'sqlplus scott/*@orcl'],
    [`smbclient //h/s -U bo%${password}`, 'smbclient //h/s -U bo%*'],
    [
      `keytool -v -storepass ${password} \\\n  -keypass ${password}`,
      'keytool -v -storepass * \\\n  -keypass *',
    ],
    [`wandb login ${token}`, 'wandb login *'],
    [`nuget push a.nupkg -k ${token}`, 'nuget push a.nupkg -k *'],
    [
      `composer config http-basic.h.example.com bo ${password}`,
      'composer config http-basic.h.example.com bo *',
    ],
    [`signtool sign /f c.pfx /p ${password} a.exe`, 'signtool sign /f c.pfx /p * a.exe'],
    ['oc login -u bo -p YonderSaddle767', 'oc login -u bo -p *'],
    ['useradd -m -p HarborMeadow518 bo', 'useradd -m -p * bo'],
    ['hydra -l bo -p HarborMeadow518 192.0.2.1 ssh', 'hydra -l bo -p * 192.0.2.1 ssh'],
    ['security unlock-keychain -p HarborMeadow518 a.keychain', 'security unlock-keychain -p * a.keychain'],
    ['mosquitto_pub -u bo -P HarborMeadow518 -t a', 'mosquitto_pub -u bo -P * -t a'],
    ['ipmitool -U bo -P HarborMeadow518 power on', 'ipmitool -U bo -P * power on'],
    ['caddy hash-password --plaintext HarborMeadow518', 'caddy hash-password --plaintext *'],
    ['rootpw --plaintext HarborMeadow518', 'rootpw --plaintext *'],
    ['gh secret set KILN --body HarborMeadow518', 'gh secret set KILN --body *'],
    ['signtool sign /f a.pfx /p HarborMeadow518 a.exe', 'signtool sign /f a.pfx /p * a.exe'],
    ['influx -t HarborMeadow518', 'influx -t *'],
    ['apksigner sign --ks-pass pass:HarborMeadow518 a.apk', 'apksigner sign --ks-pass pass:* a.apk'],
    ['htpasswd -cb .htpasswd bo HarborMeadow518', 'htpasswd -cb .htpasswd bo *'],
    ['mosquitto_passwd -b passwd bo HarborMeadow518', 'mosquitto_passwd -b passwd bo *'],
    ['put --name db-password --value KettlePebble593', 'put --name db-password --value *'],
    ['git log -p fd68f8f5e33f4c..test-notest', 'git log -p fd68f8f5e33f4c..test-notest'],
    ['samba-tool user create bo HarborMeadow518', 'samba-tool user create bo *'],
    [
      'qpdf --encrypt HarborMeadow518 KettlePebble593 256 -- a.pdf b.pdf',
      'qpdf --encrypt * * 256 -- a.pdf b.pdf',
    ],
    ['date -u +%H:%M:%S.%6NZ', 'date -u +%H:%M:%S.%6NZ'],
  ],
  'arguments behind the name of a user': [
    [
      'ftp = ftplib.FTP("h.example.com", "bo", "HarborMeadow518")',
      'ftp = ftplib.FTP("h.example.com", "bo", "*")',
    ],
    ['ks.load(in, "HarborMeadow518".toCharArray());', 'ks.load(in, "*".toCharArray());'],
    ['open("report.txt", "r+")', 'open("report.txt", "r+")'],
  ],
  'what is piped into programs': [
    [`echo 'root:${password}' | chpasswd`, "echo 'root:*' | chpasswd"],
    [
      `echo "${password}" | docker login -u bo --password-stdin`,
      'echo "*" | docker login -u bo --password-stdin',
    ],
    [`kinit bo <<< '${password}'`, "kinit bo <<< '*'"],
    [`chpasswd <<< 'bo:${password}'`, "chpasswd <<< '*'"],
    [`printf 'bo\\n${password}\\n' > vpn/auth.txt`, "printf 'bo\\n*\\n' > vpn/auth.txt"],
    ['echo "$USER:$PASS" | chpasswd', 'echo "$USER:$PASS" | chpasswd'],
  ],
  'arguments of calls': [
    [
      `curl_easy_setopt(c, CURLOPT_USERPWD, "bo:${password}");`,
      'curl_easy_setopt(c, CURLOPT_USERPWD, "bo:*");',
    ],
    [`requests.get(url, auth=("bo", "${password}"))`, 'requests.get(url, auth=("bo", "*"))'],
    [`mysqli_connect("h", "bo", "${password}", "db");`, 'mysqli_connect("h", "bo", "*", "db");'],
    [`DriverManager.getConnection(url, user, "${password}")`, 'DriverManager.getConnection(url, user, "*")'],
    [`btoa('bo:${password}')`, "btoa('bo:*')"],
    [`EncodeToString([]byte("bo:${password}"))`, 'EncodeToString([]byte("bo:*"))'],
    ["bcrypt.hash('ZephyrGlacier108', 10)", "bcrypt.hash('*', 10)"],
    [`PlainAuth("", "bo", "${password}", host)`, 'PlainAuth("", "bo", "*", host)'],
    ['Getenv("SMTP_PASSWORD"), "smtp.gmail.com"', 'Getenv("SMTP_PASSWORD"), "smtp.gmail.com"'],
    ['openAIApiKey?: OpenAIApiKey;', 'openAIApiKey?: OpenAIApiKey;'],
    [`jwt.sign({ id }, '${password}')`, "jwt.sign({ id }, '*')"],
    [`jwt.sign(payload, '${password}')`, "jwt.sign(payload, '*')"],
    [
      `ConvertTo-SecureString -String "${password}" -AsPlainText`,
      'ConvertTo-SecureString -String "*" -AsPlainText',
    ],
  ],
  declarations: [
    [`public string ApiKey { get; set; } = "${token}";`, 'public string ApiKey { get; set; } = "*";'],
    [`char db_password[] = "${password}";`, 'char db_password[] = "*";'],
    [`const secretKey = key(Buffer.from('${token}'))`, "const secretKey = key(Buffer.from('*'))"],
    [`password for bo: ${password}`, 'password for bo: *'],
    [`user: bo / ${password}`, 'user: bo / *'],
  ],
  'values by their place': [
    [
      `INSERT INTO users (name, password) VALUES ('bo', '${password}')`,
      "INSERT INTO users (name, password) VALUES ('bo', '*')",
    ],
    [`WIFI:T:WPA;S:Two Words;P:${password};;`, 'WIFI:T:WPA;S:Two Words;P:*;;'],
    ['WIFI:T:WPA;S:a;P:<password>;;', 'WIFI:T:WPA;S:a;P:<password>;;'],
    [`open h\nuser bo ${password}\nput a`, 'open h\nuser bo *\nput a'],
    [`$ cat vpn/auth.txt\nbo\n${password}`, '$ cat vpn/auth.txt\nbo\n*'],
    ['postgres://bo:Ripple77#@h.example.com/app', 'postgres://bo:*@h.example.com/app'],
    [`db.example.com:5432:shop:bo:${password}`, 'db.example.com:5432:shop:bo:*'],
  ],
  prose: [
    [`use the token ${token} for now`, 'use the token * for now'],
    [`The password that you want is "${password}".`, 'The password that you want is "*".'],
    [`密码：${password}`, '密码：*'],
    [`パスワードは「${password}」です`, 'パスワードは「*」です'],
    [`비밀번호: ${password}`, '비밀번호: *'],
    [`пароль — ${password}.`, 'пароль — *.'],
    [`mot de passe : ${password}`, 'mot de passe : *'],
    [`la contraseña es ${password}`, 'la contraseña es *'],
    [`senha: ${password}`, 'senha: *'],
  ],
  'sentences of many languages': [
    [`The passcode for the vault is ${password}.`, 'The passcode for the vault is *.'],
    [`log in with bo / ${password}`, 'log in with bo / *'],
    [`use ${password} as the password`, 'use * as the password'],
    [`Das Passwort für die Datenbank lautet ${password}`, 'Das Passwort für die Datenbank lautet *'],
    [`Zugangsdaten sind root und ${password}`, 'Zugangsdaten sind root und *'],
    [`hasło do bazy to: ${password}`, 'hasło do bazy to: *'],
    [`mật khẩu là ${password}`, 'mật khẩu là *'],
    [`كلمة المرور: ${password}`, 'كلمة المرور: *'],
    ['the password for Base64Url2 is required', 'the password for Base64Url2 is required'],
    ['credentials of SignatureV4 and OAuth2Client', 'credentials of SignatureV4 and OAuth2Client'],
  ],
  'names that say secret, as words': [
    ['NAME_PASSWORD="meadow crystal"', 'NAME_PASSWORD="*"'],
    ['DB_PASSWORD=meadow-crystal-harbor-44', 'DB_PASSWORD=*'],
    ['<password>meadow crystal harbor</password>', '<password>*</password>'],
    ['password: "Enter your password"', 'password: "Enter your password"'],
    ['"password": "wrong password"', '"password": "wrong password"'],
    ["t.pass('close emitted')", "t.pass('close emitted')"],
    [`MNEMONIC="${seed}"`, 'MNEMONIC="*"'],
    [`Your recovery phrase is:\n\n${seed}\n`, 'Your recovery phrase is:\n\n*\n'],
    [
      'The phrase means that words which come from the list are used for the keys of a wallet',
      'The phrase means that words which come from the list are used for the keys of a wallet',
    ],
  ],
  'settings of servers, clients and vendors': [
    [`proxy_set_header X-Internal-Token "${token}";`, 'proxy_set_header X-Internal-Token "*";'],
    [`password: &main ${password}`, 'password: &main *'],
    [`["password"]=>\n  string(12) "${password}"`, '["password"]=>\n  string(12) "*"'],
    [`getenv('DB_PASS') ?: '${password}'`, "getenv('DB_PASS') ?: '*'"],
    [`page.fill('#password', '${password}')`, "page.fill('#password', '*')"],
    [`page.getByLabel('Password').fill('${password}')`, "page.getByLabel('Password').fill('*')"],
    [`password = """${password}"""`, 'password = """*"""'],
    [`"sensitive": true, "value": "${password}"`, '"sensitive": true, "value": "*"'],
    [`crane login r.example.com -u bo -p ${password}`, 'crane login r.example.com -u bo -p *'],
    [`JWT.sign("${token}")`, 'JWT.sign("*")'],
    [`mc alias set m https://h.example.com bo ${password}`, 'mc alias set m https://h.example.com bo *'],
    [`| Login | Kennwort |\n|---|---|\n| bo | ${password} |`, '| Login | Kennwort |\n|---|---|\n| bo | * |'],
    [`The token for staging is ${token}`, 'The token for staging is *'],
    [`http -a bo:${password} h.example.com`, 'http -a bo:* h.example.com'],
    [`acme_live_${token.slice(0, 24)}`, '*'],
    ['tool_live_configuration_for_all_clients', 'tool_live_configuration_for_all_clients'],
    ['session `3a8084ec-289e-47d0-93a5-0ffd7082b51b`', 'session `3a8084ec-289e-47d0-93a5-0ffd7082b51b`'],
  ],
  'columns of tables': [
    [
      `| user | password |\n|---|---|\n| bo | \`${password}\` |\n| al | - |`,
      '| user | password |\n|---|---|\n| bo | `*` |\n| al | - |',
    ],
    [`name,token\nbo,${token}\nal,\n`, 'name,token\nbo,*\nal,\n'],
    [` id | password\n----+---------\n  1 | ${password}\n`, ' id | password\n----+---------\n  1 | *\n'],
    [`USER   TOKEN\nbo     ${token}\n`, 'USER   TOKEN\nbo     *\n'],
    [`|===\n|User |Password\n\n|bo\n|${password}\n|===`, '|===\n|User |Password\n\n|bo\n|*\n|==='],
    [`! User !! Password\n|-\n| bo || ${password}\n|}`, '! User !! Password\n|-\n| bo || *\n|}'],
    [`  user      password\n0   bo  ${password}\n`, '  user      password\n0   bo  *\n'],
    [`# client server secret\nbo * ${password}\n`, '# client server secret\nbo * *\n'],
    [
      `<tr><th>User</th><th>Password</th></tr>\n<tr><td>bo</td><td><code>${password}</code></td></tr>`,
      '<tr><th>User</th><th>Password</th></tr>\n<tr><td>bo</td><td><code>*</code></td></tr>',
    ],
    [`[["user","password"],["bo","${password}"]]`, '[["user","password"],["bo","*"]]'],
    [`3) "password"\n4) "${password}"`, '3) "password"\n4) "*"'],
    ['token    what it is\nGITHUB2  a name of ours\n', 'token    what it is\nGITHUB2  a name of ours\n'],
    ["'pwd',\n'python3',\n'sha1sum',", "'pwd',\n'python3',\n'sha1sum',"],
    [
      '| password | hint |\n|---|---|\n| yes | user_name2 |',
      '| password | hint |\n|---|---|\n| yes | user_name2 |',
    ],
  ],
  'files and variables that are printed or written': [
    [`$ cat /run/secrets/db_password\n${password}\n`, '$ cat /run/secrets/db_password\n*\n'],
    [`==> secrets/api_token <==\n${token}`, '==> secrets/api_token <==\n*'],
    [`$ echo $DB_PASSWORD\n${password}\n`, '$ echo $DB_PASSWORD\n*\n'],
    [`$ op read op://v/db/password\n${password}\n`, '$ op read op://v/db/password\n*\n'],
    [`cat > db_password <<EOF\n${password}\nEOF`, 'cat > db_password <<EOF\n*\nEOF'],
    [`cat <<'EOF' > api_key.txt\n${token}\nEOF`, "cat <<'EOF' > api_key.txt\n*\nEOF"],
    [`$ cat passwords.txt\n${password}\n${token}\n`, '$ cat passwords.txt\n*\n*\n'],
    [`$ cat credentials\nbo\n${token}\n`, '$ cat credentials\nbo\n*\n'],
    [`$ awk '/JWT_SECRET/{print $2}' .env\n${token}\n`, "$ awk '/JWT_SECRET/{print $2}' .env\n*\n"],
    [`$ grep -oP '(?<=API_KEY=).*' .env\n${token}\n`, "$ grep -oP '(?<=API_KEY=).*' .env\n*\n"],
    [`(Pdb) p password\n'${password}'\n`, "(Pdb) p password\n'*'\n"],
    [`>>> cfg['db']['password']\n'${password}'`, ">>> cfg['db']['password']\n'*'"],
    [`Username\nbo\nPassword\n${password}\n`, 'Username\nbo\nPassword\n*\n'],
    [`New password for bo.\nNew value: ${password}\n`, 'New password for bo.\nNew value: *\n'],
    ['$ grep -c token a.txt\nPassword2Reset\n', '$ grep -c token a.txt\nPassword2Reset\n'],
    ['$ cat docs/token.md\nAuthentication\n', '$ cat docs/token.md\nAuthentication\n'],
  ],
  'commands and addresses of protocols': [
    [`AUTH bo ${password}`, 'AUTH bo *'],
    [`requirepass ${password}`, 'requirepass *'],
    [`ACL SETUSER bo on >${password} ~*`, 'ACL SETUSER bo on >* ~*'],
    [`"bo:${password}@tcp(db:3306)/shop"`, '"bo:*@tcp(db:3306)/shop"'],
    [`*:*:*:bo:${password}`, '*:*:*:bo:*'],
    [`curl_setopt($c, CURLOPT_PASSWORD, '${password}')`, "curl_setopt($c, CURLOPT_PASSWORD, '*')"],
    [`https://hooks.example.com/run/${token}`, 'https://hooks.example.com/run/*'],
    [
      'https://docs.example.com/hooks/use-effect-in-components',
      'https://docs.example.com/hooks/use-effect-in-components',
    ],
  ],
  'what is written to a file whose name says secret': [
    [`echo -n '${password}' > secrets/db_password.txt`, "echo -n '*' > secrets/db_password.txt"],
    [`printf "${token}" >> ~/.config/api_token`, 'printf "*" >> ~/.config/api_token'],
    [`echo "$DB_PASSWORD" > db_password.txt`, 'echo "$DB_PASSWORD" > db_password.txt'],
    [`echo ${password} > notes.txt`, `echo ${password} > notes.txt`],
    [`echo done > token.txt`, 'echo done > token.txt'],
  ],
  'settings of servers, and sentences around a value': [
    [`COPY u (id, password) FROM stdin;\n1\t${password}\n`, 'COPY u (id, password) FROM stdin;\n1\t*\n'],
    [`  ~ password = "${password}" -> "${token}"`, '  ~ password = "*" -> "*"'],
    [`createUser bo SHA "${password}" AES "${token}"`, 'createUser bo SHA "*" AES "*"'],
    [`[smtp.x.de]:587 bo@x.de:${password}`, '[smtp.x.de]:587 bo@x.de:*'],
    [`chpasswd:\n  list: |\n    root:${password}\n`, 'chpasswd:\n  list: |\n    root:*\n'],
    [`Your token (shown only once): ${token}`, 'Your token (shown only once): *'],
    [`When I enter "${password}" in the password field`, 'When I enter "*" in the password field'],
    [`it asks for a password, type ${password}`, 'it asks for a password, type *'],
    [`The API token you asked for: ${token}`, 'The API token you asked for: *'],
    ['pw for the NAS is Guitar4978!', 'pw for the NAS is *'],
    ['the password, use Base64Url2 here', 'the password, use Base64Url2 here'],
  ],
  'passwords that people choose': [
    ['login("bo@x.de", "Coffee9466!")', 'login("bo@x.de", "*")'],
    ['secret: Salmon@2931', 'secret: *'],
    ["pass: 'sayf yxgy dzwq yfrf'", "pass: '*'"],
    ['password is: "silver rocket thunder"', 'password is: "*"'],
    ['secret: Password2024!', 'secret: Password2024!'],
  ],
  'lists of arguments': [
    [`{"args": ["-y", "--api-key", "${token}"]}`, '{"args": ["-y", "--api-key", "*"]}'],
    [`["--password",\n    "${password}",\n "x"]`, '["--password",\n    "*",\n "x"]'],
    [`{\\"args\\": [\\"--token\\", \\"${token}\\"]}`, '{\\"args\\": [\\"--token\\", \\"*\\"]}'],
    [`subprocess.run(['app', '--secret-key', '${token}'])`, "subprocess.run(['app', '--secret-key', '*'])"],
    [`spawn('sshpass', ['-p', '${password}', 'ssh'])`, "spawn('sshpass', ['-p', '*', 'ssh'])"],
    [
      `{"command": "redis-cli", "args": ["-a", "${password}"]}`,
      '{"command": "redis-cli", "args": ["-a", "*"]}',
    ],
    [`["app", "-p", "${password}"]`, '["app", "-p", "*"]'],
    [`parser.add_argument("--token", "--auth-token2")`, 'parser.add_argument("--token", "--auth-token2")'],
    [`["--password", "stdin"]`, '["--password", "stdin"]'],
    [`["-p", "8080:80", "-p", "tsconfig.json"]`, '["-p", "8080:80", "-p", "tsconfig.json"]'],
  ],
  'lists, without quotes': [
    [`{host: db, passwd: ${password}, port: 1}`, '{host: db, passwd: *, port: 1}'],
    [`{host:db,passwd:${token},port:1}`, '{host:db,passwd:*,port:1}'],
    [`[{passwd: ${password}}]`, '[{passwd: *}]'],
    [`Config(user=app, password=${password}, host=db)`, 'Config(user=app, password=*, host=db)'],
    [`f(Config(password=${token}));`, 'f(Config(password=*));'],
    [`password=${token}; next`, 'password=*; next'],
    [`run sshpass -p ${password}, then`, 'run sshpass -p *, then'],
    [`run curl -u bo:${password}, then`, 'run curl -u bo:*, then'],
    [`DB_PASSWORD=${password}(x)`, 'DB_PASSWORD=*'],
  ],
  'what stands near a word that says secret, in any syntax': [
    [`env::var("API_TOKEN").unwrap_or("${token}".into())`, 'env::var("API_TOKEN").unwrap_or("*".into())'],
    [
      `client = connect_to("h", 5432, "${token}")  # API token`,
      'client = connect_to("h", 5432, "*")  # API token',
    ],
    [`@Value("${token}") private String apiToken;`, '@Value("*") private String apiToken;'],
    [`# Stripe secret\nX=${token}`, '# Stripe secret\nX=*'],
    ['ldap: userPassword: GuitarMeadow42', 'ldap: userPassword: *'],
    ["password = 'Rocket-531-shadow'", "password = '*'"],
    [
      `variable "api_key" {\n  type = string\n  default = "${token}"\n}`,
      'variable "api_key" {\n  type = string\n  default = "*"\n}',
    ],
    ['credentials: standInKeys,\n  retry,', 'credentials: standInKeys,\n  retry,'],
    ['class _Ed25519PrivateKey(Ed25519PrivateKey):', 'class _Ed25519PrivateKey(Ed25519PrivateKey):'],
    [
      '"signature":"x","toolUseID":"5dc4a358-e4ec-46c2-a06b-ce6a6bd00a1d"',
      '"signature":"x","toolUseID":"5dc4a358-e4ec-46c2-a06b-ce6a6bd00a1d"',
    ],
  ],
  'places that name nothing secret': [
    [`note to self\n${seed}\n`, 'note to self\n*\n'],
    [
      `seed:\n${seed
        .split(' ')
        .map((word, at) => `${at + 1}. ${word}`)
        .join('\n')}`,
      'seed:\n1. *',
    ],
    [
      'words in one case without any sign that the list of a wallet would never hold so',
      'words in one case without any sign that the list of a wallet would never hold so',
    ],
    [`https://h.example.com/a?ticket=${token}&x=1`, 'https://h.example.com/a?ticket=*&x=1'],
    [`https://h.example.com/ical/private-${token}/b.ics`, 'https://h.example.com/ical/*/b.ics'],
    [`https://h.example.com/a?hash=${token}`, `https://h.example.com/a?hash=${token}`],
    [`https://h.example.com/doc/${token}/edit`, `https://h.example.com/doc/${token}/edit`],
    [
      `.h.example.com\tTRUE\t/\tTRUE\t1790000000\tid\t${token}`,
      '.h.example.com\tTRUE\t/\tTRUE\t1790000000\tid\t*',
    ],
    [`Copy it now; it will not be shown again\n\n${token}`, 'Copy it now; it will not be shown again\n\n*'],
    [`| bo | ${password} | admin password |`, '| bo | * | admin password |'],
    [`passwordeval "echo ${password}"`, 'passwordeval "echo *"'],
    ['backup codes: 48271934, 58273049', 'backup codes: *, *'],
    ['{"backupCodes": ["48271934"]}', '{"backupCodes": ["*"]}'],
    ['PIN for the card: 4827', 'PIN for the card: *'],
    [`apiKeys: [${token}, ${token}]`, 'apiKeys: [*, *]'],
    [`key = bytes.fromhex('${'3f9a0c71'.repeat(8)}')`, "key = bytes.fromhex('*')"],
    ['WiFi.begin("home", "Coffee9466")', 'WiFi.begin("home", "*")'],
    [`rotate ${token} please, it leaked`, 'rotate * please, it leaked'],
    [`radius-server host 10.0.0.1 key ${password}`, 'radius-server host 10.0.0.1 key *'],
  ],
  'characters that were drawn': [
    ["SECRET_KEY = '(k2)9$x&=w!3q_z7*p1-e@m5^r'", "SECRET_KEY = '*'"],
    ['DB_PASSWORD=(4Kx,9)Qz&7m!', 'DB_PASSWORD=*'],
    [`zqv_${token}`, '*'],
  ],
}

describe('secrets', () => {
  it.each(Object.entries(found))('are found in %s', (_, cases) => {
    expect(cases.map(([text]) => clean(text))).toEqual(cases.map(([, left]) => left))
  })
})
