import { tokenShapes } from './token-shape.ts'

/**
 * Tokens of vendors, from their documentation and published rule sets. A line says the type, prefixes, the shape of what
 * follows each of them, and its edge (see `TokenShape`); `uuid` is the shape of a UUID. A
 * word and 30 letters of both cases and digits need no line: `long-runs.ts` finds them.
 */
export const vendorShapes = tokenShapes(`
anthropic-key: sk-ant- | l3-8 '-' w40+
api-token: eyJhIjoi PHNhbWxwO | B100+ =0-2
api-token: prod: dev: preview: | w4-60 '|' B60+ =0-2
api-token: LTAI | a12-24
api-token: AKID | a32-40
api-token: AKLT ddpat_ logfire_ bkpt_ ctx7sk- nvapi- pcsk_ tgp_v1_ wandb_v1_ CFPAT- sha256~ lsv2_pt_ lsv2_sk_ | w30+
api-token: SCW | u17 | strict
api-token: rnd_ aio_ CLOJARS_ xai- ll- EZAK EZTK | a28+
api-token: pul- shippo_live_ shippo_test_ bkua_ sgp_local_ sgp_ squ_ sqp_ sqa_ e2b_ rubygems_ sk-or-v1- | x40+
api-token: tskey- | l2-12 '-' w10+
api-token: dt0c01. dt0s01. dt0s02. dt0s16. | a8-24 '.' a64
api-token: ico- cio fc- | a32 | strict
api-token: pat. sat. | w22 '.' a24 '.' a20
api-token: cosmo_ sk- loops_ cu_ | x32
api-token: PMAK- | x24 '-' x34
api-token: PMAT- API- | u26 | strict
api-token: xkeysib- xsmtpsib- | x64 '-' a16
api-token: mlsn. s-s4t2ud- s-s4t2af- slk_ key_ sk_ | x48+
api-token: md- | w22 | strict
api-token: pat | a14 '.' x64
api-token: 1/ | d12-18 ':' x32 | strict
api-token: 2/ | d12-18 '/' d12-18 ':' x32 | strict
api-token: pat-na1- pat-na2- pat-eu1- secret-test- waka_ sk-lf- xaat- xapt- | uuid
api-token: pk_ | d6-9 '_' u32 | strict
api-token: sk.eyJ pk.eyJ | w40+ '.' w20+
api-token: tfp_ snyk_uat. | q40+
api-token: dG9rOi | a20+ =0-2 | strict
api-token: api- sdk- mob- | uuid | strict
api-token: oauth: | l30
api-token: AAAAAAAAAAAAAAAAAAAAA | w20-80 '%' w10-80
api-token: 00D | a12-15 '!' q80+
api-token: oy2 | l43 | strict
api-token: CCIPAT_ CCIPRJ_ sgp_ | a10+ '_' x40
api-token: sm_aat_ sm_pat_ sm_sat_ | a16
api-token: csk- rdme_ | l40+
api-token: bb_live_ AVNS_ | w19+
api-token: cflt | b60
api-token: unkey_ vtwn_ as- ak- ak_ browserstack_ tr_dev_ tr_prod_ fw_ | a20-26 | strict
api-token: sk-helicone- | l7 '-' l7 '-' l7 '-' l7
api-token: UPSTASH_ | w50+
api-token: BSA | a28 | strict
api-token: K10 | x64 '::' a4-12 ':' x32
api-token: tid= | x32 ';exp=' d10 ';' q4-60 ';8kp=1:' x64
api-token: st. | uuid '.' x32 '.' x32
artifactory-token: AKCp | a60+
artifactory-token: AKC | a64-80 | strict
artifactory-token: cmVmd | w59+
atlassian-token: ATCTT3 ATOAT3 | q60+
atlassian-token: ATBB | a28-36
atlassian-token: ATTA | x64+
atlassian-token: BBDC- | b40+
aws-access-key: AKIA ASIA ABIA ACCA | u16-17
aws-access-key: A3T | u17
aws-secret-key: amzn.mws. | uuid
aws-secret-key: ABSK bedrock-api-key- | b20+ =0-2
aws-session-token: IQoJb3JpZ2lu FwoGZXIvYXdz | b80+ =0-2
azure-key: AzCa | a20+ =0-2 | strict
basic-auth: TlRMTVNTUAA | b40+ =0-2
cloudflare-key: v1.0- | x20+ '-' x100+
cloudflare-key: cfut_ cfat_ cfk_ | w40+
database-key: pscale_pw_ pscale_tkn_ pscale_oauth_ mdb_sa_sk_ fnAE | q30+
database-key: napi_ | l40+
database-key: AstraCS: | a20+ ':' x60+
database-key: 4b1d | a38 | strict
databricks-token: dapi | x32+
databricks-token: dose dkea | x32 | strict
digitalocean-token: dop_v1_ doo_v1_ dor_v1_ | x64+
docker-token: SWMTKN-1- SWMKEY-1- dckr_pat_ dckr_oat_ | w20+
dropbox-token: sl. sl.u. | w100+ | strict
facebook-token: EAAC EAAM EAAG EAAB | a27+ | strict
facebook-token: IGQVJ IGQWR IGAA | w80+
figma-token: figd_ figdr_ | w36+
figma-token: figo | l1 '_' w36+
fly-token: fo1_ fm1r_ fm1a_ fm2_ | B43+ =0-3
gcp-key: AIza | w35
gcp-key: AQ.Ab8RN6 ya29. GOCSPX- 1//0 | w20+
gcp-key: GOOG | u20+ | strict
gcp-key: AAAA | w7 ':' w100-200
github-token: ghp_ gho_ ghu_ ghs_ ghr_ | a36+
github-token: github_pat_ | w82
gitlab-token: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt- gltok- GR1348941 | q20+
gitlab-token: _gitlab_session= | l32+ | none
grafana-token: glc_ glsa_ eyJrIjoi | B32+ =0-3
heroku-key: HRKU- | w36+
huggingface-token: hf_ api_org_ | a34
linear-key: lin_api_ lin_wh_ lin_oauth_ | a32+
mailgun-key: key- | a32 | strict
netlify-token: nfp_ nfc_ | a36+
new-relic-key: NRAK- NRJS- NRII- NRIQ- NRRA- NRSP- | w19+
notion-token: ntn_ | a46
notion-token: secret_ | a43 | strict
npm-token: npm_ | a36
openai-key: sk-proj- sk-svcacct- sk-admin- sk-None- | w40+
openai-key: sk- | a48
payment-key: FLWSECK_TEST- FLWSECK- rzp_live_ rzp_test_ | a12+
payment-key: access_token$production$ access_token$sandbox$ | l16 '$' x32
payment-key: APP_USR- pdl_live_apikey_ pdl_sdbx_apikey_ | w20+
payment-key: access-sandbox- access-development- access-production- | uuid
payment-key: live_ test_ | x35
payment-key: live_ | a30
payment-key: live_ | w40 | strict
payment-key: sandbox_ | l8 '_' l16
private-key: AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 | u50+
private-key: SU SA SO SC SN SX SB SD | 354-56 | strict
private-key: nsec1 suiprivkey1 | l58-62
private-key: xprv tprv yprv zprv uprv vprv | a100-112
private-key: edsk ed25519: | a50-98
pypi-token: pypi-AgE | w50+
secret-manager-token: ops_eyJ | B60+ =0-3
secret-manager-token: A3- | u6 '-' u11 '-' u5 '-' u5 '-' u5
secret-manager-token: A3- | u6 '-' u6 '-' u5 '-' u5 '-' u5 '-' u5
secret-manager-token: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. | a40+
secret-manager-token: dp.st. | w1-40 '.' a40+
sendgrid-key: SG. | q60-80 | none
sendgrid-key: SG. | w16-32 '.' w16-64 | none
sentry-token: sntrys_ sntryu_ sntrya_ sntryi_ | p60+
shopify-token: shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ shprt_ | x32
slack-token: xoxa- xoxb- xoxc- xoxe- xoxe.xoxp- xoxe.xoxb- xoxo- xoxp- xoxr- xoxs- xwfp- | d1+ w11+
slack-token: xoxd- | p40+
slack-token: xapp- | d1 '-' u1+ '-' d4+ '-' l6+
square-token: sq0 | l3 '-' w22+
square-token: EAAA | w22-64 | strict
stripe-key: sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_ pk_prod_ sk_org_live_ | a10+
stripe-key: whsec_ | b24+ =0-2
supabase-key: sbp_ sbp_v0_ sbp_oauth_ | l40+
supabase-key: sb_secret_ | w20+
twilio-key: SK AC | x32 | strict
vault-token: hvs. hvr. hvb. | w24+
vault-token: s. | a24 | strict
vercel-token: vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_ | w20+
yandex-key: AQVN | w35-38
yandex-key: YCAJE | w20
yandex-key: YCA YCP | w37 | strict
yandex-key: t1. | w1-200 =0-2 '.' w80+ =0-2 | strict
yandex-key: y0_ | w50+ | strict
api-token: .acc_ .acc- | w10-32 '.' p30-120 | | q10-48
api-token: _mmk | | | w36
api-token: -us | d1-2 | | a32
azure-key: JQQJ9 | a20-30 | | a52
azure-key: AZDO | a4 | | a76
azure-key: AzSe | a6 | | a42
azure-key: AzFu | w6 '==' | | w44
azure-key: AzCa | a7 '=' | | a33
azure-key: +ASt +ABa +AMC +AEh +ARm +ASb +ACR +ACD +AIoT | b2-10 =1-2 | | b32-80
azure-key: 0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~ | t31-34 | | t3
dropbox-token: AAAAAAAAAA | q43 | | a11
new-relic-key: NRAL | | | a36-40
openai-key: T3BlbkFJ | w20-100 | | w20-100
telegram-token: :AA | w32-34 | | d8-12
terraform-token: .atlasv1. | q60-80 | | a14
`)
