/** A way in which a name and its secret value are written; a `|` stands for the text around the value. */
export interface Syntax {
  readonly write: (name: Name, value: string) => string
  /** Values that can be written this way without an escape. */
  readonly takes?: RegExp
}

/** One name in the spellings of languages and tools. */
export interface Name {
  readonly words: string
  readonly snake: string
  readonly upper: string
  readonly camel: string
  readonly pascal: string
  readonly kebab: string
}

export function nameOf(words: string): Name {
  const parts = words.split(' ')
  const pascal = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
  return {
    words,
    snake: parts.join('_'),
    upper: parts.join('_').toUpperCase(),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    kebab: parts.join('-'),
  }
}

const inDouble = /^[^"\\$`]+$/
const inSingle = /^[^'\\]+$/
const bare = /^[\w.+/=:@%^~,!?*#-]+$/
const plain = /^[\w.+/=:@-]+$/
const inUrl = /^[\w.~-]+$/

/** Code, shells, configuration, logs and prose: what is between a name and its value. */
export const namedSyntaxes: Readonly<Record<string, Syntax>> = {
  'javascript const': { write: (n, v) => `const ${n.camel} = '${v}';`, takes: inSingle },
  'typescript field': { write: (n, v) => `  private readonly ${n.camel}: string = "${v}";`, takes: inDouble },
  'javascript object': { write: (n, v) => `  ${n.camel}: '${v}',`, takes: inSingle },
  'process.env': { write: (n, v) => `process.env.${n.upper} = '${v}'`, takes: inSingle },
  'environment default': {
    write: (n, v) => `const k = process.env.${n.upper} || '${v}'`,
    takes: inSingle,
  },
  python: { write: (n, v) => `${n.upper} = '${v}'`, takes: inSingle },
  'python argument': {
    write: (n, v) => `client = Client("h", ${n.snake}="${v}", retries=3)`,
    takes: inDouble,
  },
  'python dict': { write: (n, v) => `settings["${n.snake}"] = "${v}"`, takes: inDouble },
  'python getenv': { write: (n, v) => `os.environ.get("${n.upper}", "${v}")`, takes: inDouble },
  'go short': { write: (n, v) => `\t${n.camel} := "${v}"`, takes: inDouble },
  'go struct': { write: (n, v) => `\t${n.pascal}: "${v}",`, takes: inDouble },
  'java constant': {
    write: (n, v) => `private static final String ${n.upper} = "${v}";`,
    takes: inDouble,
  },
  'java property call': { write: (n, v) => `props.setProperty("${n.kebab}", "${v}");`, takes: inDouble },
  rust: { write: (n, v) => `const ${n.upper}: &str = "${v}";`, takes: inDouble },
  csharp: { write: (n, v) => `public string ${n.pascal} { get; set; } = "${v}";`, takes: inDouble },
  'c define': { write: (n, v) => `#define ${n.upper} "${v}"`, takes: inDouble },
  'c array': { write: (n, v) => `static const char ${n.snake}[] = "${v}";`, takes: inDouble },
  php: { write: (n, v) => `$${n.snake} = '${v}';`, takes: inSingle },
  'php array': { write: (n, v) => `    '${n.snake}' => '${v}',`, takes: inSingle },
  'php define': { write: (n, v) => `define('${n.upper}', '${v}');`, takes: inSingle },
  ruby: { write: (n, v) => `  config.${n.snake} = "${v}"`, takes: inDouble },
  'ruby hash': { write: (n, v) => `{ :${n.snake} => "${v}" }`, takes: inDouble },
  swift: { write: (n, v) => `let ${n.camel}: String = "${v}"`, takes: inDouble },
  kotlin: { write: (n, v) => `val ${n.camel} = "${v}"`, takes: inDouble },
  powershell: { write: (n, v) => `$${n.pascal} = '${v}'`, takes: inSingle },
  terraform: { write: (n, v) => `  ${n.snake} = "${v}"`, takes: inDouble },
  json: { write: (n, v) => `{"${n.camel}": "${v}"}`, takes: inDouble },
  'json escaped': { write: (n, v) => `{\\"${n.snake}\\": \\"${v}\\"}`, takes: inDouble },
  'json name and value': { write: (n, v) => `{"name": "${n.upper}", "value": "${v}"}`, takes: inDouble },
  yaml: { write: (n, v) => `  ${n.snake}: ${v}`, takes: plain },
  'yaml quoted': { write: (n, v) => `  ${n.camel}: "${v}"`, takes: inDouble },
  'yaml name and value': { write: (n, v) => `  - name: ${n.upper}\n    value: ${v}\n`, takes: plain },
  toml: { write: (n, v) => `${n.kebab} = "${v}"`, takes: inDouble },
  ini: { write: (n, v) => `${n.snake} = ${v}`, takes: bare },
  properties: { write: (n, v) => `app.${n.kebab.replaceAll('-', '.')}=${v}`, takes: bare },
  env: { write: (n, v) => `${n.upper}=${v}`, takes: bare },
  'env quoted': { write: (n, v) => `${n.upper}="${v}"`, takes: inDouble },
  'shell export': { write: (n, v) => `export ${n.upper}='${v}'`, takes: inSingle },
  'shell default': { write: (n, v) => `: "\${${n.upper}:-${v}}"`, takes: plain },
  'inline variable': { write: (n, v) => `${n.upper}=${v} npm start`, takes: plain },
  'docker env': { write: (n, v) => `docker run -e ${n.upper}=${v} app`, takes: plain },
  dockerfile: { write: (n, v) => `ENV ${n.upper} ${v}`, takes: plain },
  'flag with blank': { write: (n, v) => `deploy --${n.kebab} ${v} --force`, takes: plain },
  'flag with sign': { write: (n, v) => `deploy --${n.kebab}=${v} --force`, takes: plain },
  'flag quoted': { write: (n, v) => `deploy --${n.kebab} '${v}'`, takes: inSingle },
  'windows set': { write: (n, v) => `set ${n.upper}=${v}`, takes: bare },
  setx: { write: (n, v) => `setx ${n.upper} "${v}"`, takes: inDouble },
  xml: { write: (n, v) => `<${n.camel}>${v}</${n.camel}>`, takes: /^[^<>&]+$/ },
  'xml attribute': { write: (n, v) => `<add key="${n.pascal}" value="${v}" />`, takes: /^[^<>&"]+$/ },
  'url query': { write: (n, v) => `GET https://api.example.com/v1?${n.snake}=${v}&page=2`, takes: inUrl },
  'http header': { write: (n, v) => `X-${n.kebab}: ${v}`, takes: plain },
  'curl header': { write: (n, v) => `curl -H "X-${n.kebab}: ${v}" https://api.example.com`, takes: plain },
  'log line': {
    write: (n, v) => `2025-03-01 12:00:01 INFO connecting ${n.snake}=${v} retry=3`,
    takes: plain,
  },
  'diff line': { write: (n, v) => `+${n.upper}=${v}`, takes: plain },
  'grep hit': { write: (n, v) => `src/config.ts:12:  ${n.camel}: "${v}",`, takes: inDouble },
  'numbered line': { write: (n, v) => `    14\t${n.upper}=${v}`, takes: plain },
  comparison: { write: (n, v) => `if (${n.camel} === "${v}") return`, takes: inDouble },
  comment: { write: (n, v) => `// ${n.words}: ${v}`, takes: plain },
  'markdown table': { write: (n, v) => `| ${n.words} | \`${v}\` |`, takes: /^[^|`]+$/ },
  'markdown bold': { write: (n, v) => `- **${n.words}**: \`${v}\``, takes: /^[^`]+$/ },
  prose: { write: (n, v) => `The ${n.words} is ${v}, please use it.`, takes: /^[\w+/=@-]+$/ },
  'prose in code': { write: (n, v) => `Set ${n.upper} to \`${v}\` in the settings.`, takes: /^[^`]+$/ },
}

/** Places of a token that needs no name. */
export const bareSyntaxes: Readonly<Record<string, (token: string) => string>> = {
  line: (token) => token,
  output: (token) => `created\n${token}\ndone\n`,
  quotes: (token) => `foo("${token}", 3)`,
  'single quotes': (token) => `['${token}']`,
  backticks: (token) => `I used \`${token}\` for the call.`,
  sentence: (token) => `It printed ${token}.`,
  brackets: (token) => `(see ${token})`,
  list: (token) => `one,${token},two`,
  assignment: (token) => `x=${token}`,
  escaped: (token) => `{\\"a\\":\\"${token}\\"}`,
  'escaped line break': (token) => `first\\n${token}\\nlast`,
  'url path': (token) => `https://api.example.com/hook/${token}/send`,
  'diff line': (token) => `-${token}`,
  argument: (token) => `login ${token} --quiet`,
  xml: (token) => `<k>${token}</k>`,
}

/** Commands, calls and constants that take a name and a password; the value is only the password. */
export const credentialSyntaxes: Readonly<Record<string, (value: string) => string>> = {
  'curl -u': (v) => `curl -u admin:${v} https://example.com/x`,
  'curl -u, value quoted': (v) => `curl -u admin:'${v}' https://example.com/x`,
  'curl -u, pair quoted': (v) => `curl -s -u "admin:${v}" https://example.com/x`,
  'curl -u, both quoted': (v) => `curl -sS -X POST --user 'admin':"${v}" https://example.com/x`,
  'curl -u without blank': (v) => `curl -uadmin:${v} https://example.com/x`,
  'curl --proxy-user': (v) => `curl --proxy-user=admin:${v} https://example.com/x`,
  'curl options': (v) => `curl_easy_setopt(c, CURLOPT_USERPWD, "user:${v}");`,
  'curl options in php': (v) => `curl_setopt($ch, CURLOPT_USERPWD, 'user:${v}');`,
  'curl options in an array': (v) => `CURLOPT_PROXYUSERPWD => "user:${v}",`,
  'htpasswd -b': (v) => `htpasswd -b .htpasswd admin ${v}\n`,
  'htpasswd -nbB': (v) => `docker run httpd htpasswd -nbB admin '${v}' > auth`,
  chpasswd: (v) => `echo 'root:${v}' | chpasswd`,
  'mysql -p': (v) => `mysql -h db -u root -p${v} shop`,
  mysqldump: (v) => `mysqldump --user=root --password=${v} shop`,
  'sshpass -p': (v) => `sshpass -p '${v}' ssh root@10.0.0.2`,
  'redis-cli -a': (v) => `redis-cli -h cache -a ${v} ping`,
  'docker login': (v) => `docker login -u bot -p ${v} registry.example.com`,
  'openssl passin': (v) => `openssl rsa -in k.pem -passin pass:${v} -out o.pem`,
  'ldapsearch -w': (v) => `ldapsearch -x -D cn=admin,dc=x -w ${v} -b dc=x`,
  'smbclient -U': (v) => `smbclient //nas/share -U backup%${v}`,
  'zip -P': (v) => `zip -P ${v} out.zip a.txt`,
  '7z -p': (v) => `7z a -p${v} out.7z a.txt`,
  'unzip -P': (v) => `unzip -P "${v}" out.zip`,
  'gpg passphrase': (v) => `gpg --batch --passphrase ${v} -d f.gpg`,
  'keytool storepass': (v) => `keytool -genkey -storepass ${v} -keypass ${v}`,
  sqlplus: (v) => `sqlplus scott/${v}@orcl`,
  'rabbitmqctl add_user': (v) => `rabbitmqctl add_user app ${v}`,
  'mosquitto_pub -P': (v) => `mosquitto_pub -h h -u dev -P ${v} -t t`,
  'net user': (v) => `net user deploy ${v} /add`,
  'password on stdin': (v) => `echo "${v}" | docker login -u bot --password-stdin`,
  'sudo -S': (v) => `echo ${v} | sudo -S apt update`,
  'secure string': (v) => `ConvertTo-SecureString "${v}" -AsPlainText -Force`,
  'kubectl literal': (v) => `kubectl create secret generic db --from-literal=password=${v}`,
  'git remote': (v) => `git clone https://deploy:${v}@git.example.com/a/b.git`,
  'database url': (v) => `DATABASE_URL=postgres://app:${v}@db.internal:5432/app`,
  'redis url': (v) => `redis://:${v}@cache:6379/0`,
  'connection string': (v) => `Server=db;Database=app;User Id=sa;Password=${v};Encrypt=true`,
  'python requests': (v) => `requests.get(url, auth=("admin", "${v}"))`,
  'basic auth call': (v) => `HTTPBasicAuth('admin', '${v}')`,
  'network credential': (v) => `new NetworkCredential("admin", "${v}")`,
  'smtp login': (v) => `server.login("me@example.com", "${v}")`,
  'jdbc connection': (v) => `DriverManager.getConnection(url, "app", "${v}");`,
  'mysql connect': (v) => `mysqli_connect("localhost", "app", "${v}", "shop");`,
  'sql create user': (v) => `CREATE USER app WITH PASSWORD '${v}';`,
  'sql identified by': (v) => `CREATE USER 'app'@'%' IDENTIFIED BY '${v}';`,
  netrc: (v) => `machine api.example.com login bot password ${v}`,
  pgpass: (v) => `PGPASSWORD=${v} psql -h db -U app`,
  'basic header': (v) => `Authorization: Basic ${Buffer.from(`admin:${v}`).toString('base64')}`,
}
