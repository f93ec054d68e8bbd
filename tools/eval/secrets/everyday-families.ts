import { everydayCommands } from './everyday-commands.ts'
import { everydayOutputs } from './everyday-outputs.ts'

/**
 * Texts in which agents meet secrets, by their kind: `‹…›` is the secret, `[alphabet length]` and `[word]` are random
 * (see `randomValue`), and `\\n` and `\\t` are line breaks and tabs.
 */
export const everydayFamilies: Readonly<Record<string, string>> = {
  ...everydayCommands,
  ...everydayOutputs,
  settings: String.raw`
    {"mcpServers":{"x":{"command":"npx","args":["-y","x","--api-key","‹[mixed 32]›"]}}}
    {"password": "‹[mixed 14]›", "port": 1}
    password: "‹[mixed 14]›"
        password: ‹[mixed 12]› # change
    creds: &c {user: a, pass: ‹[mixed 14]›}
    secret: |\n  ‹[mixed 32]›
    password = """‹[mixed 14]›"""
    api_token = "‹[mixed 32]›"
    [client]\nuser=root\npassword="‹[mixed 14]›"
    masterauth ‹[mixed 24]›
    ACL SETUSER app on >‹[mixed 20]› ~* +@all
    psk=‹[hex 64]›
    proxy_set_header X-Internal-Token "‹[mixed 32]›";
    fastcgi_param DB_PASSWORD "‹[mixed 14]›";
    env[DB_PASSWORD] = ‹[mixed 14]›
    Environment="API_TOKEN=‹[mixed 32]›"
    ARG NPM_TOKEN=‹[mixed 36]›
    PASSWORD_PEPPER="‹[mixed 24]›"
    NAME_PASSWORD="‹[word] [word]›"
    APP_PASSWORD=‹[word].[word].[word]›
    passphrase = "‹[word] [word] [word] [word]›"
    password: ‹[word]-[word]-[word]›
    "masterPassword": "‹[Word] [word] [digits 3]›"
    <Password>‹[word] [word]›</Password>
    <String><Key>Password</Key><Value ProtectInMemory="True">‹[mixed 14]›</Value></String>
    <key>apiToken</key>\n<string>‹[mixed 32]›</string>
    <server><username>u</username><password>‹[mixed 14]›</password></server>
    username admin privilege 15 password 0 ‹[mixed 12]›
    snmp-server community ‹[mixed 12]› RW
    resource "random_password" "db" { result = "‹[mixed 14]›" }
    "outputs": {"db_pw": {"sensitive": true, "type": "string", "value": "‹[mixed 20]›"}}
    kind: Secret\napiVersion: v1\nstringData:\n  foo: ‹[mixed 20]›
    - name: API_KEY\n  value: "‹[mixed 32]›"
    Key: DB_PASSWORD\nValue: ‹[mixed 14]›
    {"Name":"x","SecretString":"{\"password\":\"‹[mixed 16]›\"}"}
    "AccessKey": {"AccessKeyId": "AKIA[base32 16]", "SecretAccessKey": "‹[base64 40]›"}
    aws_secret_access_key = ‹[base64 40]›
    machine api.x login me password ‹[mixed 14]›
    //npm.internal/:_authToken=‹[mixed 36]›
    SECRET_KEY = 'django-insecure-‹[django 50]›'
    'password' => '‹[mixed 14]›',
    ["password"]=>\n  string(14) "‹[mixed 14]›"
    secret_key_base: ‹[hex 128]›
    config/master.key\n‹[hex 32]›
    quarkus.datasource.password=‹[mixed 14]›
    sasl.password=‹[mixed 64]›
    {"kty":"oct","k":"‹[base64url 43]›","alg":"HS256"}
    PrivateKey = ‹[base64 43]=›
    secret=‹[base32 32]›
    TOTP secret: ‹[base32 32]›
    rootpw: {SSHA}‹[base64 32]›
    htpasswd: admin:‹$apr1$[mixed 8]$[mixed 22]›
    hosts:\n  github.com:\n    oauth_token: ‹gho_[mixed 36]›
    "refreshToken": "‹1//0[base64url 60]›"
    cookie_secret=‹[base64 43]=›
    ENCRYPTION_KEY=base64:‹[base64 43]=›
    webhook_secret: ‹[mixed 24]›
    pin_code: "‹[digits 8]›"
    token ‹[mixed 32]›
    mdp: ‹[mixed 12]›
    access_code: ‹[mixed 10]›`,
  'files and variables': String.raw`
    $ cat /run/secrets/db_password\n‹[mixed 14]›\n$
    $ cat config/master.key\n‹[hex 32]›
    $ cat ~/.ssh/passphrase\n‹[word] [word] [word]›
    $ cat .pgpass\n*:*:*:app:‹[mixed 14]›
    head -1 /etc/app/secret.key\n‹[base64 43]=›
    $ sudo cat /etc/mysql/root_password\n‹[mixed 16]›
    echo "‹[mixed 32]›" > ~/.config/app/token
    printf "‹[mixed 24]›" | tee .secrets/jwt_secret >/dev/null
    echo ‹[hex 32]› > config/master.key
    cat <<'EOF' > /etc/app/api_key.txt\n‹[mixed 32]›\nEOF
    tee /etc/wireguard/private.key <<EOF\n‹[base64 43]=›\nEOF
    kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n‹[mixed 20]›
    aws ssm get-parameter --name /db/pass --with-decryption --query Parameter.Value --output text\n‹[mixed 20]›
    op read op://vault/db/password\n‹[mixed 14]›
    $ openssl rand -base64 32\n‹[base64 43]=›
    $ echo $DB_PASSWORD\n‹[mixed 20]›
    $ gh auth token\n‹gho_[mixed 36]›
    $ heroku config:get SECRET_KEY\n‹[mixed 32]›
    $ security find-generic-password -s x -w\n‹[mixed 20]›
    $ docker exec db printenv POSTGRES_PASSWORD\n‹[mixed 20]›
    file: secrets/db_password\n‹[mixed 20]›
    secrets/smtp_password:1:‹[mixed 16]›`,
  tables: String.raw`
    | user | password |\n|---|---|\n| root | ‹[mixed 12]› |
    | Account | Passwort |\n| --- | --- |\n| admin | ‹[mixed 14]› |
    | env | secret | owner |\n|:--|:--:|--:|\n| prod | ‹[mixed 24]› | ann |
    user;password;role\nbob;‹[mixed 12]›;admin
    id,username,password_hash,api_key\n1,bob,x,‹[mixed 32]›
     id | username | password\n----+----------+---------\n  1 | bob      | ‹[mixed 14]›
    +----+------+----------+\n| id | user | password |\n+----+------+----------+\n|  1 | bob  | ‹[mixed 8]› |\n+----+------+----------+
    USER   ROLE    TOKEN\nbob    admin   ‹[mixed 32]›
    INSERT INTO 'users' VALUES (1,'bob','‹$2y$10$[mixed 53]›');
    UPDATE users SET password = '‹[mixed 14]›' WHERE id = 1
    <tr><td>Password</td><td>‹[mixed 14]›</td></tr>
    url,username,password\nhttps://x.de,bob,‹[mixed 14]›
    - user: bob / password: ‹[mixed 12]›
    Password ........ ‹[mixed 14]›`,
  'headers and cookies': String.raw`
    Authorization: token ‹[hex 40]›
    Authorization: ApiKey ‹[base64 60]==›
    X-Api-Key: ‹[mixed 32]›
    X-Auth-Token: ‹[hex 32]›
    X-Amz-Security-Token: ‹IQoJb3JpZ2luX2Vj[base64 200]›
    X-Shopify-Access-Token: ‹shpat_[hex 32]›
    Api-Token: ‹[mixed 32]›
    apikey: ‹eyJ[mixed 100].[mixed 60].[mixed 43]›
    Set-Cookie: session=‹[base64url 60].[base64url 6].[base64url 27]›; Path=/
    Set-Cookie: PHPSESSID=‹[lowerDigits 26]›; path=/
    Set-Cookie: __Host-auth=‹[base64url 60]›; Secure
    Set-Cookie: .AspNetCore.Identity.Application=‹CfDJ8[base64url 200]›; path=/
    set-cookie: __Secure-next-auth.session-token=‹eyJ[mixed 200]›; Path=/
    Cookie: theme=dark; session=‹[mixed 40]›; lang=de
    Cookie: _myapp_session=‹[base64 120]--[hex 40]›
    Cookie: d=‹xoxd-[base64url 20]%2F[base64url 60]›; x=1
    "cookies": [{"name": "session", "value": "‹[mixed 40]›", "domain": "x"}]
    < set-cookie: sid=‹[base64url 40]›; path=/
    -H 'authorization: Bearer ‹[mixed 40]›'
    authorization=Bearer+‹[mixed 40]›
    X-Access-Token=‹[mixed 32]›
    SOAPAction: x\n<wsse:Password Type="t">‹[mixed 14]›</wsse:Password>
    GET /?api_key=‹[mixed 32]› HTTP/1.1
    ?token=‹[mixed 24]›&x=1
    {"id_token":"‹eyJ[mixed 100].eyJ[mixed 60].[mixed 43]›"}
    SAMLResponse=‹PHNhbWxwOlJlc3BvbnNl[base64 200]›`,
  wallets: `
    wif ‹Kx[base58 50]›
    priv ‹L3[base58 50]›
    ‹xprv[base58 107]›
    ‹tprv[base58 107]›
    ‹zprv[base58 107]›
    privateKey: '0x‹[hex 64]›'
    PRIVATE_KEY=‹[hex 64]›
    DEPLOYER_KEY=0x‹[hex 64]›
    new ethers.Wallet("0x‹[hex 64]›")
    --private-key 0x‹[hex 64]›
    cast send --private-key ‹[hex 64]› x
    accounts: ["0x‹[hex 64]›"]
    web3.eth.accounts.privateKeyToAccount('0x‹[hex 64]›')
    Keypair.fromSecretKey(bs58.decode("‹[mixed 88]›"))
    (0) 0x‹[hex 64]›
    Private Key: 0x‹[hex 64]›
    secret key: ‹SC[base32 54]›
    Stellar seed ‹SC[base32 54]›
    ed25519:‹[mixed 88]›`,
  sentences: `
    The password is ‹[mixed 12]›
    my password: ‹[mixed 12]›
    Log in with admin / ‹[mixed 12]›
    The passcode for the vault: ‹[mixed 12]›
    credentials: admin / ‹[mixed 12]›
    root password changed to ‹[mixed 12]›
    the token is ‹[mixed 32]›
    api key = ‹[mixed 32]› (rotate later)
    username bob password ‹[mixed 12]›
    Das Passwort lautet ‹[mixed 12]›
    Passwort: ‹[mixed 12]›
    Zugangsdaten sind root und ‹[mixed 12]›
    Kennwort: ‹[mixed 12]›
    Zugangscode: ‹[mixed 12]›
    clave de acceso: ‹[mixed 12]›
    la contraseña de la base de datos es ‹[mixed 12]›
    usuario root, clave ‹[mixed 12]›
    Le mot de passe est ‹[mixed 12]›
    identifiants : admin / ‹[mixed 12]›
    la clé API est ‹[mixed 32]›
    senha: ‹[mixed 12]›
    a chave da API é ‹[mixed 32]›
    la password del database è ‹[mixed 12]›
    credenziali: admin / ‹[mixed 12]›
    wachtwoord voor de database: ‹[mixed 12]›
    Hasło do bazy to ‹[mixed 12]›
    Пароль: ‹[mixed 12]›
    пароль от сервера: ‹[mixed 12]›
    密码是 ‹[mixed 12]›
    密码为‹[mixed 12]›
    パスワード：‹[mixed 12]›
    비밀번호는 ‹[mixed 12]›
    şifre: ‹[mixed 12]›
    parola: ‹[mixed 12]›
    lösenord: ‹[mixed 12]›
    adgangskode: ‹[mixed 12]›
    salasana on ‹[mixed 12]›
    jelszó: ‹[mixed 12]›
    पासवर्ड: ‹[mixed 12]›
    mật khẩu là ‹[mixed 12]›
    รหัสผ่าน: ‹[mixed 12]›
    κωδικός: ‹[mixed 12]›`,
  'lines with prefixes': String.raw`
    web_1  | DB_PASSWORD=‹[mixed 14]›
    2026-01-01T00:00:00Z app[web.1]: token=‹[mixed 32]›
    config/app.env:12:DB_PASSWORD=‹[mixed 14]›
    config/app.env-12-DB_PASSWORD=‹[mixed 14]›
         1→DB_PASSWORD=‹[mixed 14]›
         1\tDB_PASSWORD=‹[mixed 14]›
    +DB_PASSWORD=‹[mixed 14]›
    -  password: ‹[mixed 14]›
    > password: ‹[mixed 14]›
    │ password: ‹[mixed 14]› │
    # password: ‹[mixed 14]›
    // password: ‹[mixed 14]›
    ; password = ‹[mixed 14]›
    [web] API_TOKEN=‹[mixed 32]›
    [pod/app-1/app] password=‹[mixed 14]›`,
  'what people say and read': `
    Das Passwort für die Datenbank lautet ‹Harbor@[digits 4]›
    mot de passe : ‹c0pp3r[digits 3]›!
    usuario admin, contraseña ‹Salmon@20[digits 2]›
    a palavra-passe é ‹violet-ember-[digits 2]›
    chiave segreta: ‹[mixed 14]#3›
    de geheime sleutel is ‹[mixed 14]4›
    dane logowania: admin / ‹Badger[digits 4]›!
    секретный ключ ‹[mixed 7]@[mixed 8]2›
    密码：‹violet[digits 4]›
    비밀번호: ‹heron[digits 4]›
    creds are bob:‹[mixed 8]![mixed 8]›
    the PIN is ‹[digits 4]›
    SIM PIN: ‹[digits 4]›
    Your verification code is ‹[digits 6]›. Do not share it.
    npm publish --otp=‹[digits 6]›
    {"totp":"‹[digits 6]›"}
  `,
  'lists and rows': String.raw`
    api_keys:\n  - ‹[mixed 40]›
    "tokens": ["‹[mixed 40]›"]
    Recovery codes:\n‹[lowerDigits 4]1-[lowerDigits 4]2›
    INSERT INTO clients (id, client_secret) VALUES (1, 'x'), (2, '‹[mixed 32]›');
    {"columns":["id","password"],"rows":[[1,"‹[mixed 14]›"]]}
    [{"value":"‹[mixed 20]›","name":"AUTH_TOKEN"}]
    UPDATE settings SET value='‹[mixed 16]›' WHERE name='smtp_password';
    unsigned char aes_key[] = { ‹0x39, 0xc6, 0x11, 0xfa, 0xd8, 0x59, 0x05, 0x9d, 0xb7, 0xb1, 0x4e, 0x[hex 2]› };
    wifi_password: ‹ribbon crystal bridge›
  `,
  'logins of the web and of programs': String.raw`
    GET /callback?code=‹[base64url 40]›&scope=x HTTP/1.1
    https://app.internal/cb?state=‹[base64url 32]›
    Authorization: Digest username="bob", realm="r", uri="/", response="‹[hex 32]›"
    Authorization: Bearer ‹7|[mixed 40]›
    https://app.internal/auth/magic/‹[base64url 43]›
    Content-Disposition: form-data; name="password"\n\n‹[mixed 13]2›\n--b--
    connecting as scott/‹[mixed 15]3›@orcl
    fly secrets set STRIPE_WEBHOOK=‹[mixed 40]› DB_POOL=5
    expect "assword:"; send "‹[mixed 13]4›\r"
    echo -n '‹[mixed 15]5›' | cryptsetup luksOpen /dev/sdb1 data -
    new SecretKeySpec("‹[mixed 32]›".getBytes(), "AES")
    $ cd /srv && cat config/master.key\n‹[hex 32]›
    Please use the following password to proceed:\n\n‹[hex 32]›
  `,
}
