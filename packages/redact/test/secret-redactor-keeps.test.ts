import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { secretRedactor } from '../src/secret-redactor.ts'

const redactor = secretRedactor()
const sha1 = createHash('sha1').update('a').digest('hex')
const sha256 = createHash('sha256').update('a').digest('hex')
const sha512 = createHash('sha512').update('a').digest('base64')
const noise = createHash('sha512').update('b').digest('base64').replaceAll(/[+/=]/g, '')
const uuid = '019c2754-dcf0-7971-ad86-ee82ed690b8a'

/** `${…}` of a shell or a workflow. */
const braced = (inner: string): string => `$\{${inner}}`

/** Texts that look like secrets and must stay, by the reason why. */
const kept: Readonly<Record<string, readonly string[]>> = {
  'environment references': [
    'DB_PASSWORD=$DB_PASSWORD',
    `DB_PASSWORD=${braced('DB_PASSWORD:-none')}`,
    'API_KEY=%API_KEY%',
    'const token = process.env.API_TOKEN',
    'api_key = os.environ["API_KEY"]',
    'secret: ENV["CLIENT_SECRET"]',
    `token: ${braced('{ secrets.DEPLOY_TOKEN2 }')}`,
    'password: {{ .Values.db.password1 }}',
    'Authorization: Bearer $TOKEN1234567',
    `postgres://app:${braced('DB_PASSWORD')}@db.local/shop`,
    'password = var.db_password2',
    'PGPASSWORD="$(cat /run/secrets/pg1)" psql',
  ],
  placeholders: [
    'API_KEY=your-api-key-123',
    'API_KEY="<YOUR_API_KEY>"',
    'password: changeme123',
    'token: xxxxxxxxxxxxxxxx',
    'SECRET=****************',
    'password: "password"',
    'Authorization: Bearer <token>',
    'mysql://user:password@localhost/db',
    'postgres://postgres:postgres@localhost:5432/db',
    `token: ${['gh', 'p_'].join('')}${'x'.repeat(36)}`,
    'secret_key = "example-secret-key-1"',
    'password: Password1!',
    'login({ user: "jo", password: "test1234" })',
    'password: "admin123"',
    'PASSWORD=secret123',
  ],
  hashes: [
    `"integrity": "sha512-${sha512}"`,
    `commit ${sha1}`,
    `100644 blob ${sha1}\tREADME.md`,
    `index ${sha1.slice(0, 7)}..${sha256.slice(0, 7)} 100644`,
    `image: redis@sha256:${sha256}`,
    `github.com/a/b v1.2.3/go.mod h1:${createHash('sha256').update('c').digest('base64')}`,
    `"cacheKey": "${sha256}"`,
    `resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${sha1}"`,
    `/assets/index-${noise.slice(0, 8)}.js`,
    `SHA256:${noise.slice(0, 43)} me@host (ED25519)`,
  ],
  'what is public or encrypted': [
    `secret_arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-${noise.slice(0, 6)}"`,
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME${noise.slice(0, 60)}\n${noise.slice(0, 64)}\n=ab3d\n`,
    `const applicationServerKey = 'B${noise.repeat(2).slice(0, 86)}'`,
    `db_password: ENC[AES256_GCM,data:${noise.slice(0, 24)},iv:${noise.slice(0, 43)}=,type:str]`,
    `spring.datasource.password=ENC(${noise.slice(0, 32)})`,
    `  encryptedData:\n    password: AgB${noise.repeat(2)}`,
    `password: vault:v1:${noise.slice(0, 43)}=`,
    `{"kty":"EC","crv":"P-256","kid":"key-1","x":"${noise.slice(0, 43)}","y":"${noise.slice(20, 63)}"}`,
  ],
  'files with a hash in their names': [
    `login-password.${sha1.slice(0, 20)}.css`,
    `chunk-login ${sha1.slice(0, 8)}.js.map`,
    `credentials-${sha1.slice(0, 16)}.tar.gz`,
  ],
  'sentences without spaces': [
    '"pass": "要素に0より大きいtabindexは存在しません"',
    '"pass": "リスト項目に<ul>、<ol>、またはrole=\\"list\\"の親要素が存在します"',
    '"password": "範圍屬性僅用於表頭元素（<th>）2"',
  ],
  'pages and types': [
    '.. _`Shop#Token`: https://docs.shop.example/html/rfc6749#section-12.2',
    'def seal(self, private_key: ed25519.Ed25519PrivateKey, more: list) -> None:',
  ],
  ids: [
    `session_id: ${uuid}`,
    `"session": "${uuid}", "nonce": "${uuid}", "key": "${uuid}"`,
    `"uuid":"${uuid}","parentUuid":"${uuid}"`,
    `"tool_use_id": "toolu_01${noise.slice(0, 22)}"`,
    `"id": "msg_${noise.slice(0, 24)}"`,
    `"call_id": "call_${noise.slice(0, 24)}"`,
    `request-id: req_${noise.slice(0, 24)}`,
    `traceparent: 00-${sha256.slice(0, 32)}-${sha256.slice(0, 16)}-01`,
    '"key": "01JQ8ZK5V7XN2M4B6T9RWCYD3E"',
    `cache_key = "${sha256.slice(0, 32)}"`,
    `"idempotencyKey": "${sha256.slice(0, 40)}", "objectKey": "${noise.slice(0, 32)}"`,
    `restore build key ${sha1}, cache key: linux-${sha256}`,
    `The key question is: does the commit have a trailer? Yes it does (\`${sha1.slice(0, 12)}\`).`,
    'sort_key = "created_at_2_desc"; partitionKey = tenant42_events_2024_11',
    `"signature": "${noise}${noise}"`,
    `await store.getSessionContentById("${sha1.slice(0, 12)}", "2026-03-30")`,
  ],
  'usage counters': [
    '"usage":{"input_tokens":12345,"output_tokens":678,"cache_read_input_tokens":90123}',
    'max_tokens=4096 tokens: 128000',
    'candidatesTokenCount: 710,',
    '"tokenizer": "o200k_base"',
  ],
  'public keys and pictures': [
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${noise.slice(0, 43)} me@host`,
    `-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${noise.slice(0, 60)}\n-----END PUBLIC KEY-----`,
    `-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE${noise.slice(0, 60)}\n-----END CERTIFICATE-----`,
    `src="data:image/png;base64,iVBORw0KGgo${noise}"`,
    `{"kty":"EC","x":"${noise.slice(0, 43)}","y":"${noise.slice(3, 46)}"}`,
    `"publicKey": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${noise.slice(0, 60)}"`,
  ],
  'source code': [
    'const token = getToken()',
    'password: string',
    'password: Optional[str] = None',
    '<Client apiKey={apiKey} />',
    'password=form.password.data',
    'private_key: ed25519.Ed25519PrivateKey',
    'if (passwordDetails.newPassword === passwordDetails.verifyPassword) {',
    'const { accessToken, refreshToken } = await login(user, password)',
    'token = response.json()["token"]',
    '<input type="password" name="password" placeholder="Verify password" />',
    'jwt.sign({ id: user.id }, JWT_SECRET, { expiresIn: "7d" })',
    "import { tokenize2 } from './tokenizer2'",
    'key={item.id} sortKey="createdAt2"',
    'class TokenType2(Enum): pass',
    "auth: { username, password: 'password' }",
    'monkey: banana2banana2b',
  ],
  'names in source code': [
    'token = http_req_402',
    'token = tls_ctx_1289',
    'token: "utf_16_be_dec"',
    'clientSecret: KEYCLOAK_SECRET',
    'const password = cfg?.smtpPw2',
    'const password = smtpCfg!.dbPw2',
    'const password = Vlt::Kv2Passw',
    'password: "cfg?.db.passPhrase"',
    'secret: "ns::crypto::Key2"',
    'Authorization: Bearer sock_rcv_401',
  ],
  'numbers and formats in source code': [
    '#define CKA_TOKEN 0x00000401UL',
    'private_key = 0x7fe0_12ab_99',
    'private_key = 0x7fe012ab99ccdd01u64',
    '| PASS | 18342/22109ms |',
    'token: "%Y-%m-%dT%H:%M:%S"',
    'password: "YYYY-MM-DD_HHmmss"',
  ],
  'places in files': [
    'src/login.ts:41:  refreshToken:\nsrc/login.ts:42:    read()',
    'src/login.ts-41-  refreshToken:\nsrc/login.ts-42-    read()',
    'x = List<ClientSecret>\nsrc/auth/k2.cs:27:   {',
    'x = To<AccessToken>\nsrc/auth/k2.ex:28:export type B',
    '{"password": "src/login2.ts:42"}',
  ],
  'a value on the next line, when more than a value is there': [
    'token:\n  Zx81Qy72Wv63 = open()',
    'the new password:\nAb3xK9mQ2 is what the form asks for',
  ],
  'words of other languages': ['"Wrong password": "密码不正确。"', 'password: "неверный.пароль"'],
  'ids of sessions': [
    '{"session": "a81c04f2de7791bb"}',
    'session: 5f2c9a7be41d0386',
    'session: 20261123T142034519Z-949814398',
    'session: session-2026-11-22T00-37-3a3dbcee',
  ],
  prose: [
    'The files are identified as "orphans2x" by the sweep.',
    'a client identified by "Zx81Qy72" in the table',
    'the session (`model_session_id=1bb9c7d2`) ended',
  ],
  'dates next to curl': [
    'curl -s https://example.com/x > a.json; date -u +%H:%M:%SZ',
    'curl -s https://example.com/x\ndocker run -u app:Gr0up2 image',
    'sort -u a:b2C4 | curl -T - https://example.com',
  ],
  'a header of a key alone': [
    `assert_file("priv/a.pem", "${['-----BEGIN RSA ', 'PRIVATE KEY-----'].join('')}")\nassert_file("priv/b.pem", "x1yZ")\nassert_file("c.pem")`,
  ],
  'names of secrets': [
    'secretName: my-app-secret-2',
    'secretKeyRef:\n  name: pg-2\n  key: password',
    '- name: POSTGRES_PASSWORD\n  valueFrom: {}',
    'next_page_token: "CAUQAA1b2c3d4e5f6"',
    'token_url: https://id.company.com/oauth2/token1',
    'passwordFile: /run/secrets/db_password1',
    'password_hash_algorithm: argon2id19',
  ],
  'reports of tests': [
    'PASS src/foo/bar2.test.ts',
    '--- PASS: TestRedact/strips_C1_control_U+009F (0.00s)',
    'pass: 12, fail: 3',
    '- All checks pass: `gofmt`, `lint2`',
  ],
  'names behind a word like pass': [
    'let the caller pass GridRowURL',
    'pass ButtonLabelText to the view',
    'the token refreshAccessToken2 reads',
    'auth=(name, db_password)',
    'server.login(user, secret)',
    'jwt.sign(payload, config.secret)',
    "login('title', 'welcome')",
    `{"pwd": "osc${'12'}"}`,
    'deploy --session bx-k2ym9q1w',
    "Username for 'https://0a1b2c3d4e5f6071.example.net': bo",
    "Password for 'https://0a1b2c3d4e5f6071.example.net':",
  ],
  'fields of a log around calls and names': [
    '{"lines":["const client = createClient({","  url: config.url,"]},"toolUUID":"6768c05f-e5b8-40d9-b842-62ec96d09d32","timestamp":"2026-05-11T13:11:41.406Z"}',
    '{"code":"createClient({"},"model":"Sonnet4xQ7bRt2","entry":"aB3dE5fG7hJ9"}',
    '{"user":{"login":"cursor[bot]","id":206951365,"node_id":"BOT_kgDODFXTxQ"}}',
  ],
  'long names': [
    `https://example.com/commit/1#diff-${sha256.slice(0, 32)}R31`,
    `"id": "abcd_01${noise.slice(0, 38)}"`,
    `chunk-${noise.slice(0, 40)}.js`,
  ],
  'command lines': [
    'htpasswd -c .htpasswd bo',
    'zip -r out.zip a.txt',
    '7z a -t7z out.7z a.txt',
    'openssl rsa -passin file:key.txt -in a.pem',
    'ldapsearch -x -W -D cn=admin2',
    'net user bo2 /delete',
    'echo "ready2" | sudo tee log2',
    'sqlplus scott/$PASSWORD2@orcl',
    'docker run -p 8080:80 -u 1000:1000 image',
    'ssh -p 2222 me@host',
    'useradd -u 1001 -p 22 me',
    'PWD=/srv/app2',
  ],
}

describe('harmless text', () => {
  it.each(Object.entries(kept))('stays: %s', (_, texts) => {
    const found = texts.flatMap((text) =>
      redactor.find(text).map(({ start, end, type }) => `${type} ${text.slice(start, end)} in ${text}`),
    )
    expect(found).toEqual([])
  })
})
