// Puts the head of a report on a pull request of GitHub: one comment, which a later run replaces. What is not allowed,
// as in pull requests from forks, is no fault of the build.
import { existsSync, readFileSync } from 'node:fs'

const mark = '<!-- tenfold report -->'
const [path = ''] = process.argv.slice(2)
const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_TOKEN, PULL_REQUEST } =
  process.env

if (existsSync(path)) await comment()
else console.log('There is no report to comment.')

async function comment() {
  const comments = `repos/${GITHUB_REPOSITORY}/issues/${PULL_REQUEST}/comments`
  try {
    const known = await findComment(comments)
    const body = JSON.stringify({ body: bodyOf(readFileSync(path, 'utf8')) })
    if (known === undefined) await ask('POST', comments, body)
    else await ask('PATCH', `repos/${GITHUB_REPOSITORY}/issues/comments/${known}`, body)
  } catch (error) {
    console.log(`::notice::The report was not commented on the pull request: ${error.message}`)
  }
}

/** A comment holds 65,536 characters, so the folded tables stay in the artifact. */
function bodyOf(markdown) {
  const head = markdown.split('\n<details>')[0].trimEnd().slice(0, 60_000)
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
  return `${mark}\n${head}\n\nThe whole report is an artifact of [this run](${run}).\n`
}

async function findComment(comments) {
  for (let page = 1; ; page++) {
    const some = await ask('GET', `${comments}?per_page=100&page=${page}`)
    const found = some.find(({ body, user }) => body?.startsWith(mark) && user?.type === 'Bot')
    if (found !== undefined || some.length < 100) return found?.id
  }
}

async function ask(method, address, body) {
  const response = await fetch(`${GITHUB_API_URL}/${address}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body }),
  })
  if (!response.ok) throw new Error(`${method} ${response.status}`)
  return await response.json()
}
