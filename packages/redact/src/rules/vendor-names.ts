/** Vendors whose keys have no shape of their own: the name next to the value gives them away (`kraken_key = …`). */
const vendors: readonly string[] =
  'adafruit adobe airtable algolia alibaba alicloud aliyun amplitude artifactory asana atlassian auth0 authress aws azure beamer bintray bitbucket bittrex braintree brevo bugsnag circleci clearbit clickhouse clojars cloudant cloudflare cloudinary codacy codeclimate codecov cohere coinbase coinmarketcap confluent contentful contribsys crowdin datadog deepgram deepseek digitalocean discord docusign doppler droneci dropbox duffel dynatrace easypost elevenlabs etsy facebook fastly fastspring figma finicity finnhub flickr flutterwave flyio frameio freemius freshbooks freshdesk gcp giphy github gitlab gitter gocardless google grafana groq hashicorp helpscout heroku honeycomb hubspot huggingface ibm ifttt imagekit infracost infura intercom intra42 ipinfo ipstack jenkins jfrog jira jumpcloud keycloak klaviyo kraken kucoin launchdarkly linear linkedin lob logdna lokalise looker mailchimp mailerlite mailgun mailjet mapbox mattermost maxmind meraki messagebird mistral mixpanel netlify newrelic nexmo ngrok notion npm nytimes octopus okta onesignal openai openweather openweathermap opsgenie paddle pagerduty papertrail paypal paystack perplexity pinecone plaid planetscale plivo postgrest postman postmark prefect privateai pubnub pulumi pusher pypi quickbooks rapidapi razorpay readme recaptcha redshift replicate resend rollbar rubygems sauce saucelabs scaleway scalingo segment sendbird sendgrid sendinblue sentry settlemint shippo shodan shopify sidekiq slack smartsheet snowflake snyk softlayer sonar sonarqube sourcegraph sparkpost spotify square squarespace statuspage stripe sumo sumologic supabase tailscale tavily telegram tencent todoist travis travisci trello twilio twitch twitter typeform unsplash uploadcare vault vercel virustotal vonage vultr wakatime weatherstack webflow wrike xai xray yandex youtube zapier zendesk zoom'.split(
    ' ',
  )

const known = new Set(vendors)

/** Vendors whose name alone triggers the reader of names. Words of everyday code are left out. */
export const wakingVendors: readonly string[] = vendors.filter(
  (vendor) =>
    vendor.length >= 4 &&
    !/^(?:github|gitlab|google|linear|square|segment|vault|zoom|readme|octopus|sauce|resend|azure|slack|notion|replicate|figma|prefect|jira|flyio|linkedin|looker|docker|openai|mistral|youtube|spotify|paddle|pusher|beamer|stripe|sentry|supabase|vercel|netlify|snowflake|redshift|jenkins|telegram|sonar)$/.test(
      vendor,
    ),
)

/** Whether the words of a name include a vendor. */
export function hasVendor(words: readonly string[]): boolean {
  return words.some(
    (word, index) => known.has(word) || (index + 1 < words.length && known.has(word + words[index + 1]!)),
  )
}
