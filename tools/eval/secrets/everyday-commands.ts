/** Commands, addresses and code that agents write, as {@link everydayFamilies} describes them. */
export const everydayCommands: Readonly<Record<string, string>> = {
  'options of programs': `
    mysqldump --single-transaction --password=‹[mixed 14]› shop > d.sql
    psql "host=db user=app password=‹[mixed 16]› dbname=shop"
    redis-cli -h cache -p 6379 -a '‹[mixed 14]›' ping
    mongosh --host m -u root -p ‹[mixed 15]› --authenticationDatabase admin
    http -a admin:‹[mixed 16]› https://api.internal/v1
    xh -a admin:‹[mixed 16]› :8080/x
    twine upload --username bot --password ‹[mixed 14]› dist/*
    poetry config pypi-token.pypi ‹[mixed 60]›
    echo ‹[mixed 40]› | gh secret set DEPLOY_KEY
    wrangler secret put API_KEY <<< "‹[mixed 32]›"
    echo -n '‹[mixed 14]›' | kubectl create secret generic db --from-file=password=/dev/stdin
    kubectl create secret docker-registry reg --docker-server=r.io --docker-username=u --docker-password=‹[mixed 24]›
    helm install pg bitnami/postgresql --set global.postgresql.auth.postgresPassword=‹[mixed 18]›
    docker login registry.internal -u ci -p ‹[mixed 22]›
    skopeo copy --dest-creds ci:‹[mixed 22]› docker://a docker://b
    buildah push --creds ci:‹[mixed 22]› img
    vault login ‹hvs.[base64url 90]›
    aws secretsmanager create-secret --name db --secret-string '‹[mixed 14]›'
    az sql server create -n s --admin-user sa --admin-password '‹[mixed 14]›'
    az login --service-principal -u app -p ‹[mixed 34]› --tenant t
    heroku config:set SECRET_KEY_BASE=‹[hex 64]› -a app
    vercel env add API_TOKEN production <<< ‹[mixed 32]›
    railway variables --set "JWT_SECRET=‹[mixed 32]›"
    npm config set //npm.internal/:_authToken=‹[mixed 36]›
    pip install --index-url https://ci:‹[mixed 20]›@pypi.internal/simple app
    cargo login ‹[mixed 34]›
    dotnet nuget push a.nupkg --api-key ‹[lowerDigits 46]› --source nuget.org
    mvn deploy -Dgpg.passphrase=‹[mixed 14]›
    java -Djavax.net.ssl.keyStorePassword=‹[mixed 16]› -jar app.jar
    openssl enc -aes-256-cbc -pbkdf2 -k '‹[mixed 14]›' -in a -out b
    openssl enc -aes-128-cbc -K ‹[hex 32]› -iv 00000000000000000000000000000000 -in a
    age -d -i key.txt # identity ‹AGE-SECRET-KEY-1[bech32 58]›
    sshpass -e ssh root@h # SSHPASS=‹[mixed 14]›
    zip -e -P ‹[mixed 14]› o.zip a
    unrar x -p‹[mixed 14]› a.rar
    rclone config create nas webdav url https://nas user me pass ‹[mixed 16]›
    smbclient //nas/x -U 'me%‹[mixed 14]›'
    mount.cifs //nas/x /mnt -o user=me,pass=‹[mixed 14]›
    curl --user 'admin:‹[mixed 14]›' https://api.internal
    curl -H "X-Internal-Token: ‹[mixed 32]›" https://api.internal
    curl -b "session=‹[mixed 40]›" https://api.internal
    curl -d '{"user":"me","password":"‹[mixed 14]›"}' https://idp/login
    curl -F token=‹[mixed 32]› -F file=@a https://up
    wget --header="PRIVATE-TOKEN: ‹[mixed 20]›" https://git.internal/api
    git -c http.extraheader="AUTHORIZATION: bearer ‹[mixed 40]›" fetch
    ansible-playbook site.yml --extra-vars '{"vault_pass": "‹[mixed 14]›"}'
    terraform apply -var db_password=‹[mixed 16]›
    pulumi config set --secret dbPassword ‹[mixed 18]›
    oc login https://api:6443 -u dev -p ‹[mixed 16]›
    kubectl --token=‹[mixed 60]› get pods
    ldappasswd -s ‹[mixed 14]› -D cn=admin uid=x
    net use z: //nas/x /user:me ‹[mixed 14]›
    schtasks /create /tn x /ru me /rp ‹[mixed 14]›
    sqlplus system/‹[mixed 12]›@//db:1521/XE
    clickhouse-client --host ch --user default --password ‹[mixed 16]›
    influx -username admin -password ‹[mixed 14]›
    rabbitmqctl change_password app '‹[mixed 14]›'
    mosquitto_sub -h b -u dev -P '‹[mixed 14]›' -t '#'
    nats sub x --password ‹[mixed 16]› --user u
    rdesktop -u me -p ‹[mixed 12]› h
    echo 'me:‹[mixed 14]›' | sudo chpasswd
    useradd -m -p '‹[mixed 14]›' deploy
    wp user create bob b@x.de --user_pass=‹[mixed 14]›
    php artisan tinker --execute="x" # APP_KEY=base64:‹[base64 43]=›
    drush sql:connect --db-url=mysql://d:‹[mixed 14]›@db/d
    nmcli dev wifi connect HomeNet password '‹[mixed 14]›'
    snmpwalk -v3 -u u -A ‹[mixed 12]› -X ‹[mixed 12]› h
    ncftpput -u me -p ‹[mixed 14]› h / a
    yt-dlp -u me -p ‹[mixed 14]› https://x
    ngrok config add-authtoken ‹[mixed 49]›
    cloudflared tunnel run --token ‹eyJ[mixed 120]›
    nomad job run -token ‹[hex 8]-[hex 4]-4[hex 3]-a[hex 3]-[hex 12]› x
    argocd login argo --username admin --password ‹[mixed 16]›
    snyk auth ‹[hex 8]-[hex 4]-4[hex 3]-a[hex 3]-[hex 12]›
    huggingface-cli login --token ‹hf_[mixed 34]›
    kaggle competitions download # KAGGLE_KEY=‹[hex 32]›
    claude mcp add --transport http x https://m --header "Authorization: Bearer ‹[mixed 40]›"
    op item create --category login title=x password='‹[mixed 14]›'
    bw unlock --raw ‹[mixed 16]›
    security add-generic-password -a me -s x -w '‹[mixed 14]›'
    setx DB_PASSWORD "‹[mixed 14]›"
    New-LocalUser x -Password (ConvertTo-SecureString '‹[mixed 14]›' -AsPlainText -Force)
    export OPENAI_API_KEY="‹sk-proj-[mixed 48]›"
    read -r DB_PASS <<< '‹[mixed 14]›'`,
  'connection strings and addresses': `
    dsn := "app:‹[mixed 14]›@tcp(127.0.0.1:3306)/app"
    Server=tcp:s.database.windows.net,1433;User ID=a;Password=‹[mixed 14]›;Encrypt=True
    DefaultEndpointsProtocol=https;AccountName=a;AccountKey=‹[base64 86]==›;EndpointSuffix=core.windows.net
    HostName=x.azure-devices.net;DeviceId=d;SharedAccessKey=‹[base64 43]=›
    mongodb+srv://app:‹[mixed 16]›@c.mongodb.net/app?retryWrites=true
    postgresql+asyncpg://app:‹[mixed 14]›@db/app
    jdbc:mysql://app:‹[mixed 14]›@db:3306/app
    jdbc:sqlserver://db;user=sa;password=‹[mixed 14]›;encrypt=true
    host=db port=5432 user=app password='‹[mixed 14]›' sslmode=require
    ftp://me:‹[mixed 12]›@ftp.x.de/pub
    c.redis.cache.windows.net:6380,password=‹[base64 43]=›,ssl=True,abortConnect=False
    ldap://cn=admin,dc=x:‹[mixed 12]›@ldap:389
    clickhouse://default:‹[mixed 14]›@ch:9000/x
    elasticsearch: https://elastic:‹[mixed 20]›@es:9200
    neo4j+s://neo4j:‹[base64url 43]›@x.databases.neo4j.io
    *:*:*:app:‹[mixed 14]›
    scott/‹[mixed 12]›@//db:1521/XEPDB1
    Provider=SQLOLEDB;Persist Security Info=True;User ID=sa;Password=‹[mixed 14]›
    kafka: sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="‹[mixed 16]›";
    socks5://me:‹[mixed 12]›@proxy:1080
    git+https://x-token-auth:‹[mixed 24]›@bitbucket.org/a/b
    https://x.s3.amazonaws.com/k?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLQ&Expires=1&Signature=‹[base64 26]%3D›
    https://x.blob.core.windows.net/c?sv=2022&sig=‹[base64 42]%3D›
    https://eth-mainnet.g.alchemy.com/v2/‹[base64url 32]›
    https://x.quiknode.pro/‹[hex 40]›/
    https://hooks.slack.com/services/T0[upperDigits 8]/B0[upperDigits 8]/‹[mixed 24]›
    https://api.telegram.org/bot‹[digits 10]:AA[base64url 33]›/sendMessage
    https://n8n.internal/webhook?token=‹[mixed 24]›
    https://hooks.zapier.com/hooks/catch/[digits 7]/‹[lowerDigits 7]›/`,
  calls: String.raw`
    jwt.sign(payload, "‹[mixed 32]›")
    jwt.verify(token, '‹[mixed 32]›')
    curl_setopt($ch, CURLOPT_PASSWORD, '‹[mixed 14]›');
    curl_setopt($ch, CURLOPT_XOAUTH2_BEARER, '‹[mixed 40]›');
    curl_setopt($ch, CURLOPT_HTTPHEADER, ['X-Api-Key: ‹[mixed 32]›']);
    127.0.0.1:6379> AUTH ‹[mixed 24]›
    a1 LOGIN bob@x.de ‹[mixed 12]›
    USER bob\n331 x\nPASS ‹[mixed 12]›
    CONFIG SET requirepass "‹[mixed 14]›"
    redis.createClient({ password: '‹[mixed 20]›', socket: {} })
    pymysql.connect("db", "root", "‹[mixed 12]›", "shop")
    MySQLdb.connect(host="db", passwd="‹[mixed 12]›")
    mysqli_connect('db', 'root', '‹[mixed 12]›')
    new Pool({ user: 'a', password: '‹[mixed 14]›' })
    client.auth('‹[mixed 20]›')
    ssh.connect('h', 22, 'root', '‹[mixed 12]›')
    smtp.login('me@x.de', '‹[mixed 16]›')
    imap.login("me", "‹[mixed 14]›")
    requests.post(u, headers={"Authorization": "Token ‹[hex 40]›"})
    axios.get(u, { auth: { username: 'me', password: '‹[mixed 14]›' } })
    fetch(u, { headers: { Authorization: 'Bearer ‹[mixed 40]›' } })
    req.Header.Set("X-Api-Key", "‹[mixed 32]›")
    headers.set('X-Auth-Token', '‹[mixed 32]›')
    crypto.createHmac('sha256', '‹[mixed 32]›')
    hash_hmac('sha256', $d, '‹[mixed 32]›')
    crypto.createCipheriv('aes-256-cbc', '‹[mixed 32]›', iv)
    Fernet(b'‹[base64url 43]=›')
    CryptoJS.AES.encrypt(d, '‹[mixed 20]›')
    app.use(cookieParser('‹[mixed 20]›'))
    iron.seal(x, '‹[mixed 40]›')
    new AWS.Credentials('AKIA[base32 16]', '‹[base64 40]›')
    StorageSharedKeyCredential('acc', '‹[base64 86]==›')
    new Stripe('‹sk_test_[mixed 24]›')
    openai.api_key = '‹sk-[mixed 48]›'
    new Anthropic({ apiKey: '‹[mixed 40]›' })
    twilio('AC[hex 32]', '‹[hex 32]›')
    client.login('‹MTI[mixed 23].G[base64url 5].[base64url 38]›')
    Github("‹ghp_[mixed 36]›")
    jira = JIRA(basic_auth=('me', '‹[mixed 24]›'))
    firebase.initializeApp({ apiKey: "‹AIza[base64url 35]›" })
    mailchimp.setConfig({ apiKey: '‹[hex 32]-us12›' })
    Pusher({ appId: '1', key: 'x', secret: '‹[hex 20]›' })
    os.environ["DB_PASSWORD"] = "‹[mixed 14]›"
    process.env.JWT_SECRET ?? '‹[mixed 24]›'
    System.setProperty("javax.net.ssl.trustStorePassword", "‹[mixed 12]›");
    char[] password = "‹[mixed 12]›".toCharArray();
    PasswordHash.verify(h, '‹[mixed 12]›')
    User.create!(email: 'a@x.de', password: '‹[mixed 14]›')
    User.objects.create_user('bob', 'b@x.de', '‹[mixed 12]›')
    page.fill('#password', '‹[mixed 14]›')
    cy.get('input[name=password]').type('‹[mixed 12]›')
    browser_type({"element": "Password field", "text": "‹[mixed 12]›"})
    CREATE USER app WITH PASSWORD '‹[mixed 14]›';
    ALTER ROLE app WITH LOGIN PASSWORD '‹[mixed 12]›';
    SET PASSWORD FOR 'a'@'h' = PASSWORD('‹[mixed 12]›');
    GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY '‹[mixed 12]›'
    SELECT pgp_sym_encrypt('x', '‹[mixed 20]›');
    db.createUser({user: "a", pwd: "‹[mixed 12]›", roles: []})
    Config(user=app, password=‹[mixed 16]›, host=db)
    connect(password=‹[mixed 14]›).open()`,
}
