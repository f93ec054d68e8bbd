import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../support/test-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = testFolder('all')
const read = (...path: string[]): string => readFileSync(folder(...path), 'utf8')

interface Ran {
  readonly code: number
  readonly output: string
}

/** Runs a script as the runner of GitHub does with `shell: bash`. */
function bash(script: string, env: Record<string, string>): Promise<Ran> {
  const { PATH } = process.env
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script]
  return new Promise((done) => {
    execFile(
      'bash',
      args,
      { cwd: folder(), env: { PATH, HOME: folder(), ...env } },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
    )
  })
}

/** The script of a step of the action, and the names in its environment. */
function stepOf(name: string): { readonly script: string; readonly env: Record<string, string> } {
  const steps = readFileSync(join(root, 'action.yml'), 'utf8').split(/^ {4}- /m)
  const step = steps.find((text) => text.startsWith(`name: ${name}\n`)) ?? ''
  const block = /^ {6}run: \|\n((?: {8}.*\n|\n)+)/m.exec(step)?.[1]
  const script = block?.replaceAll(/^ {8}/gm, '') ?? /^ {6}run: (.+)$/m.exec(step)?.[1] ?? ''
  const names = [...step.matchAll(/^ {8}([A-Z_]+): \$\{\{/gm)].map(([, variable = '']) => variable)
  return { script, env: Object.fromEntries(names.map((variable) => [variable, ''])) }
}

function runReport(inputs: Record<string, string>): Promise<Ran> {
  const { script, env } = stepOf('Report')
  const files = { GITHUB_OUTPUT: folder('output'), GITHUB_STEP_SUMMARY: folder('summary.md') }
  for (const path of Object.values(files)) writeFileSync(path, '')
  return bash(script, { ...env, ...files, RUNNER_TEMP: folder(), GITHUB_ACTION_PATH: root, ...inputs })
}

describe('the action', () => {
  it('reports on a folder of logs, and keeps the report as files and as the summary', async () => {
    const logs = `${join(root, 'examples/logs/claude-code-small.jsonl')}\n\n${join(root, 'examples/logs/codex-csv-importer.jsonl')}\n`
    const { output, code } = await runReport({
      LOGS: logs,
      MAX_RATIO: '0.1',
      MIN_RETENTION: '0.8',
      PAGES: 'true',
    })
    expect(output).toContain('2 bundles, 0 failures.')
    expect(code).toBe(0)
    expect(readdirSync(folder('tenfold-report')).sort()).toEqual([
      ...['report.html', 'report.json', 'report.md', 'report.xml', 'sessions'],
    ])
    expect(read('output')).toBe(`folder=${folder()}/tenfold-report\nstatus=0\n`)
    expect(read('summary.md')).toBe(read('tenfold-report/report.md'))
  })

  it('fails in its last step only, so that the report of a failure is kept', async () => {
    const LOGS = join(root, 'examples/logs/claude-code-small.jsonl')
    const { code, output } = await runReport({
      LOGS,
      MIN_RETENTION: '1',
      MAX_COST: '0',
      BASELINE: 'gone.json',
    })
    expect(code).toBe(0)
    expect(output).toContain('error: --baseline gone.json')
    expect(read('output')).toContain('status=2\n')
    expect(await bash(stepOf('Check the limits').script, { STATUS: '2' })).toMatchObject({ code: 2 })
  })

  it('takes no line of its list of logs for an option', async () => {
    writeFileSync(folder('reader.mjs'), "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n")
    const log = join(root, 'examples/logs/claude-code-small.jsonl')
    const LOGS = [log, '--reader=./reader.mjs', '-h', '--store'].join('\n')
    const { output } = await runReport({ LOGS, MAX_RATIO: '0.0001' })
    expect(output).toContain('1 bundle, 3 failures.')
    expect(read('output')).toContain('status=1\n')
    expect(existsSync(folder('ran'))).toBe(false)
  })

  it('uses actions of others, as the workflows do, by their commit', () => {
    const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)
    for (const path of ['action.yml', ...workflows]) {
      const used = readFileSync(join(root, path), 'utf8').matchAll(/^ +- ?uses: (.+)$|^ +uses: (.+)$/gm)
      for (const [, listed, named] of used) expect(listed ?? named).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d/)
    }
  })

  it('puts no input into a script', () => {
    const scripts = ['Report', 'Comment', 'Check the limits'].map((name) => stepOf(name).script)
    for (const script of scripts) {
      expect(script).not.toBe('')
      expect(script).not.toContain('${{')
    }
  })
})

describe('the comment of the action', () => {
  const asked: { readonly line: string; readonly token: string | undefined; readonly body: string }[] = []
  let server: Server
  let comments: object[] = []
  let status = 200

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += String(part)
      asked.push({ line: `${request.method} ${request.url}`, token: request.headers.authorization, body })
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(request.method === 'GET' ? comments : {}))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    writeFileSync(folder('report.md'), '# Tenfold report\n\nAll fine.\n\n<details><summary>More</summary>\n')
  })
  afterAll(() => server.close())

  const comment = (): Promise<Ran> => {
    asked.length = 0
    const { port } = server.address() as AddressInfo
    return bash(stepOf('Comment').script, {
      ...{ GITHUB_ACTION_PATH: root, GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_TOKEN: 'token' },
      ...{ GITHUB_REPOSITORY: 'a/b', GITHUB_SERVER_URL: 'https://github.example', GITHUB_RUN_ID: '7' },
      ...{ PULL_REQUEST: '12', FOLDER: folder() },
    })
  }

  it('is made once, with the head of the report, and then replaced', async () => {
    expect(await comment()).toEqual({ code: 0, output: '' })
    expect(asked.map(({ line }) => line)).toEqual([
      'GET /repos/a/b/issues/12/comments?per_page=100&page=1',
      'POST /repos/a/b/issues/12/comments',
    ])
    const { body } = JSON.parse(asked[1]?.body ?? '')
    expect(body).toMatch(/^<!-- tenfold report -->\n# Tenfold report\n\nAll fine\.\n\nThe whole report/)
    expect(body).toContain('https://github.example/a/b/actions/runs/7')
    expect(asked[1]?.token).toBe('Bearer token')
    // Somebody may quote the mark.
    comments = [
      { id: 3, body, user: { type: 'User' } },
      { id: 4, body, user: { type: 'Bot' } },
    ]
    await comment()
    expect(asked[1]?.line).toBe('PATCH /repos/a/b/issues/comments/4')
  })

  it('fails no build if it is not allowed', async () => {
    status = 403
    const { code, output } = await comment()
    expect(code).toBe(0)
    expect(output).toBe('::notice::The report was not commented on the pull request: GET 403\n')
  })
})

describe('the template for GitLab', () => {
  it('runs its script on a log, and keeps the report', async () => {
    const template = readFileSync(join(root, 'ci/gitlab.yml'), 'utf8')
    const lines = [...template.matchAll(/^ {4}- (.+)$/gm)].map(([, line = '']) => line)
    const variables = Object.fromEntries(
      [...template.matchAll(/^ {4}(TENFOLD\w*): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
    )
    expect(Object.keys(variables)).toEqual(['TENFOLD_LOGS', 'TENFOLD_LIMITS', 'TENFOLD'])
    const ran = await bash(lines.join('\n'), {
      ...variables,
      TENFOLD_LOGS: join(root, 'examples/logs/claude-code-small.jsonl'),
      TENFOLD: `node ${join(root, 'packages/cli/bin/tenfold.js')}`,
    })
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining('1 bundle, 0 failures.') })
    const [, junit = ''] = /junit: (\S+)/.exec(template) ?? []
    expect(read(junit)).toContain('<testsuites tests="2" failures="0" errors="0">')
  })
})

describe('the release', () => {
  it('writes the repository of the workflow into each manifest, and nothing without one', async () => {
    const path = folder('packages/core')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: '@tenfold/core', version: '1.0.0' }))
    writeFileSync(folder('CHANGELOG.md'), '# Changes')
    const script = `"${process.execPath}" "${join(root, 'ci/set-repository.mjs')}"`
    expect(await bash(script, {})).toMatchObject({ code: 1, output: expect.stringContaining('OWNER/NAME') })
    expect(await bash(script, { GITHUB_REPOSITORY: 'acme/fold' })).toEqual({ code: 0, output: '' })
    expect(read('packages/core/CHANGELOG.md')).toBe('# Changes')
    expect(JSON.parse(read('packages/core/package.json'))).toEqual({
      name: '@tenfold/core',
      version: '1.0.0',
      homepage: 'https://github.com/acme/fold/tree/main/packages/core#readme',
      bugs: 'https://github.com/acme/fold/issues',
      repository: { type: 'git', url: 'git+https://github.com/acme/fold.git', directory: 'packages/core' },
    })
  })
})
