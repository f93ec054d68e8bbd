// Writes into the manifests where the repository is, which npm compares with the workflow that publishes, and copies the
// change log beside each. A clone or fork does not know that itself: GITHUB_SERVER_URL and GITHUB_REPOSITORY say it.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env
if (!/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY ?? '')) {
  console.error('set-repository: expected OWNER/NAME in GITHUB_REPOSITORY')
  process.exit(1)
}
const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
for (const name of readdirSync('packages')) {
  const path = `packages/${name}/package.json`
  const manifest = {
    ...JSON.parse(readFileSync(path, 'utf8')),
    homepage: `${url}/tree/main/packages/${name}#readme`,
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git`, directory: `packages/${name}` },
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync('CHANGELOG.md', `packages/${name}/CHANGELOG.md`)
}
