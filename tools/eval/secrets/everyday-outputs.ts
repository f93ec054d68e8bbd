/** Places that were missed once: tables, output of programs, settings and sentences, as {@link everydayFamilies} describes them. */
export const everydayOutputs: Readonly<Record<string, string>> = {
  'tables of every kind': String.raw`
    <table><tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>‹[mixed 12]›</td></tr></table>
    <tr>\n  <th>Service</th>\n  <th>API key</th>\n</tr>\n<tr>\n  <td>maps</td>\n  <td>‹[mixed 32]›</td>\n</tr>
    |===\n|User |Password\n\n|bob\n|‹[mixed 12]›\n|===
       user      password\n0   bob  ‹[mixed 12]›\n1   ann  ‹[mixed 12]›
            name          api_key\n0  service-a  ‹[mixed 32]›
    ======  ================\nuser    password\n======  ================\nbob     ‹[mixed 16]›\n======  ================
    1) "user"\n2) "bob"\n3) "password"\n4) "‹[mixed 14]›"
    127.0.0.1:6379> HGETALL session:1\n1) "uid"\n2) "7"\n3) "access_token"\n4) "‹[mixed 40]›"
    > GET smtp:password\n"‹[mixed 16]›"
    COPY users (id, name, password) FROM stdin;\n1\tbob\t‹[mixed 14]›\n
    |Name|Value|\n|-|-|\n|API_SECRET|‹[mixed 32]›|
    {"headers":["user","password"],"rows":[["bob","‹[mixed 14]›"]]}
    [["user","password"],["bob","‹[mixed 14]›"]]
    <li><strong>Password:</strong> ‹[mixed 12]›</li>
    <label>Password</label><input value="‹[mixed 12]›">
    {| class="wikitable"\n! User !! Password\n|-\n| bob || ‹[mixed 12]›\n|}
    Username    Password\n--------    --------\nbob         ‹[mixed 12]›`,
  'what commands and programs print': String.raw`
    Data\n====\nDB_PASSWORD:\n----\n‹[mixed 16]›\n
    # client  server  secret  IP\nbob  *  ‹[mixed 14]›  *
    $ cat /etc/ppp/chap-secrets\nbob * "‹[mixed 14]›" *
    $ grep -oP '(?<=DB_PASSWORD=).*' .env\n‹[mixed 16]›
    $ awk -F= '/JWT_SECRET/{print $2}' .env\n‹[mixed 32]›
    $ sed -n 's/^API_TOKEN=//p' .env\n‹[mixed 32]›
    $ python -c "import os;print(os.environ['DB_PASSWORD'])"\n‹[mixed 16]›
    (Pdb) p password\n'‹[mixed 14]›'
    (gdb) p password\n$1 = 0x4006 "‹[mixed 14]›"
    >>> settings.SECRET_KEY\n'‹[django 50]›'
    >>> cfg['db']['password']\n'‹[mixed 14]›'
    irb(main):001> Rails.application.credentials.secret_key_base\n=> "‹[hex 128]›"
    > config.apiKey\n'‹[mixed 32]›'
      ~ password = "‹[mixed 14]›" -> "‹[mixed 14]›"
    Password for the [elastic] user successfully reset.\nNew value: ‹[mixed 20]›
    $ argocd admin initial-password -n argocd\n‹[mixed 16]›
    AccessorID:       [hex 8]\nSecretID:         ‹[hex 8]-[hex 4]-[hex 4]-[hex 4]-[hex 12]›
    Key    Permissions  Value\nkey1   FULL         ‹[base64 86]==›
    Here is your token (it is shown only once): ‹[mixed 40]›
    K 8\npassword\nV 14\n‹[mixed 14]›\nK 15\n
    pass show web/x\n‹[signs 16]›\nuser: bob
    Username\nbob\nPassword\n‹[mixed 12]›
    API key (copy it now):\n‹[mixed 32]›
    Secret key:\n\n    ‹[mixed 40]›
    New API token created:\n\n  ‹[mixed 40]›\n\nStore it safely.`,
  'code of more languages': String.raw`
    set password {‹[mixed 14]›}
    password: <%= ENV.fetch("DB_PASSWORD") { "‹[mixed 14]›" } %>
    When I enter "‹[mixed 12]›" in the password field
    child.expect('assword:')\nchild.sendline('‹[mixed 12]›')
    login("bob@x.de", "‹[Word][digits 4]!›")
    jsonwebtoken.sign({ id }, '‹[mixed 24]›', { expiresIn: '1h' })
    SecretBox(bytes.fromhex("‹[hex 64]›"))
    SecretValue.unsafePlainText("‹[mixed 20]›")`,
  'settings of servers': String.raw`
    DbPassword:\n    Type: String\n    NoEcho: true\n    Default: ‹[mixed 14]›
    chpasswd:\n  list: |\n    root:‹[mixed 12]›\n    bob:‹[mixed 12]›
    rootpw --plaintext ‹[mixed 12]›
    bob : EAP "‹[mixed 14]›"
    [smtp.x.de]:587 bob@x.de:‹[mixed 14]›
    bob:{PLAIN}‹[mixed 12]›:1000:1000
    stats auth admin:‹[mixed 12]›
    createUser bob SHA "‹[mixed 12]›" AES "‹[mixed 12]›"
    tacacs-server key ‹[mixed 12]›
    encrypt = "‹[base64 43]=›"
    geomap_key = "‹[hex 32]›"
    weather-key: ‹[lowerDigits 32]›
    BACKUP_PASSPHRASE=‹[word] [word] [word] [word]›
    client-key-data: ‹[base64 200]›
    nsslapd-rootpw: ‹[mixed 14]›
    rediss://:‹[base64 43]=›@cache.example.com:6380
    password: !unsafe '‹[signs 14]›'`,
  'more commands': `
    (echo '‹[mixed 12]›'; echo '‹[mixed 12]›') | smbpasswd -a bob
    smbpasswd -U bob%‹[mixed 12]›
    doctl auth init -t ‹[hex 64]›
    redis-cli SET api:token ‹[mixed 32]›`,
  'more sentences': `
    try logging in with bob and ‹[mixed 12]›
    la password è stata cambiata in ‹[mixed 12]›
    비번은 ‹[mixed 12]› 입니다
    password is: "‹[word] [word] [word]›"
    the key phrase is "‹[word]-[word]-[word]›"
    key for the API: ‹[mixed 32]›
    PAT: ‹[mixed 40]›
    secret: ‹[Word][digits 4]!›
    it asks for a password, type ‹[mixed 12]›
    ann@example.com / ‹[mixed 8]4[mixed 4]›
    paste ‹[mixed 40]› as the API key
    Enter this code: ‹[upperDigits 4]-[upperDigits 4]›
    {"device_code":"‹[base64url 40]›","user_code":"x"}
    {"recovery_codes":["‹[lowerDigits 5]-[lowerDigits 5]›","‹[lowerDigits 5]-[lowerDigits 5]›"]}
    {"type":"oauth","refresh":"‹[mixed 60]›","access":"‹[mixed 60]›"}
    I rotated the key, the new one is ‹[mixed 40]›
    API_KEY should be ‹[mixed 32]›
    Wi-Fi: Home / ‹[Word][digits 4]›
    PIN code: ‹[digits 6]›`,
}
