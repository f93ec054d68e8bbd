import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, shell, toolCall } from '../support/session.ts'

const commandsOf = (drafts: EventDraft[]) => extractFacts(makeSession(drafts)).commands
const first = (drafts: EventDraft[]) => commandsOf(drafts)[0]

describe('commands', () => {
  it.each<[string, string, string?]>([
    ['npm test', 'npm test', 'test'],
    ['npm run build', 'npm run build', 'build'],
    ['npm run test:unit -- --watch=false', 'npm run test:unit', 'test'],
    ['npm install vitest', 'npm install'],
    ['npm ci && npm run lint', 'npm run lint', 'lint'],
    ['pnpm --filter web test', 'pnpm test', 'test'],
    ['pnpm check-types', 'pnpm check-types', 'typecheck'],
    ['yarn vitest run a.test.ts', 'yarn vitest', 'test'],
    ['npx tsc --noEmit', 'npx tsc', 'typecheck'],
    ['npx --yes vitest run', 'npx vitest run', 'test'],
    ['bun test src', 'bun test', 'test'],
    ['bun run scripts/seed.ts', 'bun run scripts/seed.ts'],
    ['node --test', 'node', 'test'],
    ['node server.js', 'node server.js'],
    ['go test ./... 2>&1 | tail -20', 'go test', 'test'],
    ['cd api && go vet ./...', 'go vet', 'lint'],
    ['go build ./... && go test ./...', 'go test', 'test'],
    ['go mod tidy', 'go mod tidy'],
    ['cargo +nightly clippy -- -D warnings', 'cargo clippy', 'lint'],
    ['cargo nextest run', 'cargo nextest run', 'test'],
    ['cargo check', 'cargo check', 'typecheck'],
    ['python -m pytest -q', 'python -m pytest', 'test'],
    ['PYTHONPATH=. uv run pytest tests/a.py', 'uv run pytest', 'test'],
    ['poetry run mypy .', 'poetry run mypy', 'typecheck'],
    ['python script.py --x', 'python script.py'],
    ['python manage.py test', 'python manage.py', 'test'],
    ["python - <<'EOF'\nimport os\nEOF", 'python'],
    ['ruff check .', 'ruff check', 'lint'],
    ['tox -e py312', 'tox', 'test'],
    ['./gradlew :app:testDebugUnitTest', './gradlew :app:testDebugUnitTest', 'test'],
    ['mvn -q clean verify', 'mvn clean', 'test'],
    ['mvn -DskipTests package', 'mvn package', 'build'],
    ['dotnet build -c Release', 'dotnet build', 'build'],
    ['bundle exec rspec spec/a_spec.rb', 'bundle exec rspec', 'test'],
    ['vendor/bin/phpunit', 'phpunit', 'test'],
    ['mix test', 'mix test', 'test'],
    ['swift build', 'swift build', 'build'],
    ['zig build', 'zig build', 'build'],
    ['cmake --build build && ctest', 'ctest', 'test'],
    ['make', 'make', 'build'],
    ['make -C api lint', 'make lint', 'lint'],
    ['mise run test:ci', 'mise run test:ci', 'test'],
    ['mise exec -- go test ./...', 'go test', 'test'],
    ['docker compose run --rm web npm test', 'docker compose run npm test', 'test'],
    ['docker build .', 'docker build', 'build'],
    ['./scripts/test.sh', './scripts/test.sh', 'test'],
    ['bash scripts/lint.sh', 'bash scripts/lint.sh', 'lint'],
    ['timeout 60 npm test', 'npm test', 'test'],
    ["bash -lc 'npm test'", 'npm test', 'test'],
    ['git -C api commit -m "test: build"', 'git commit'],
    ['git add -A && git commit -m x && git push', 'git push'],
    ['cd x && ls | grep y', 'ls'],
    ['cat a.ts | npm test', 'npm test', 'test'],
    ['echo done', 'echo'],
    ['gh pr view 3', 'gh pr view'],
    ['eslint --help', 'eslint'],
    ['grep -rn test src', 'grep'],
    ['mkdir build && cd build', 'mkdir'],
  ])('have a program and a purpose: %s', (command, program, purpose) => {
    const fact = first(shell('1', command))
    expect([fact?.program, fact?.purpose]).toEqual([program, purpose])
  })

  it.each([
    'rtk',
    'env A=1',
    'sudo -E',
    'timeout -k 5 60s',
    'flock -w 5 /tmp/lock',
    'direnv exec .',
    'nix develop .#dev --command',
    'mise x node@20 --',
    'doppler run -p web -c dev --',
    'uv run --with x timeout 60',
    'docker compose -f dev.yml exec -T -u root app',
    'docker run --rm -v .:/w -w /w node:20',
    'kubectl exec -n dev pod-1 --',
    'npx dotenv -e .env --',
  ])('are what %s starts', (wrapper) => {
    const [test, commit] = ['npm test', "git commit -m 'Add it'"].map((command) => `${wrapper} ${command}`)
    expect(first(shell('1', test ?? ''))?.purpose).toBe('test')
    expect(first(shell('1', commit ?? ''))?.program).toMatch(/git commit$/)
    const script = first(shell('1', `${wrapper} bash -c 'cd app && npm test'`))
    expect([script?.purpose, script?.program]).toEqual(['test', expect.stringMatching(/npm test$/)])
  })

  it('have status, exit code and evidence', () => {
    const drafts = [
      ...shell('1', 'npm test', 'ok', { exitCode: 0 }),
      ...shell('2', 'npm test', '', { status: 'error', exitCode: 2 }),
      ...shell('3', 'npm test', '', { status: 'denied' }),
      ...toolCall('4', 'Bash', { command: 'npm test' }, null),
      ...shell('5', 'npm test', '', { exitCode: 1 }),
    ]
    expect(commandsOf(drafts)).toEqual([
      {
        command: 'npm test',
        status: 'ok',
        exitCode: 0,
        call: 'e1',
        result: 'e2',
        purpose: 'test',
        program: 'npm test',
      },
      {
        command: 'npm test',
        status: 'error',
        exitCode: 2,
        call: 'e3',
        result: 'e4',
        purpose: 'test',
        program: 'npm test',
      },
      {
        command: 'npm test',
        status: 'denied',
        call: 'e5',
        result: 'e6',
        purpose: 'test',
        program: 'npm test',
      },
      { command: 'npm test', status: 'unknown', call: 'e7', purpose: 'test', program: 'npm test' },
      {
        command: 'npm test',
        status: 'error',
        exitCode: 1,
        call: 'e8',
        result: 'e9',
        purpose: 'test',
        program: 'npm test',
      },
    ])
  })

  it.each<[string, string, string, number?]>([
    ['npm test | tail', '1 failed, 3 passed', 'error'],
    ['npm test | tail', '0 failed, 3 passed', 'ok'],
    ['npm test | tail', 'the last lines, which do not say', 'unknown'],
    ['npx tsc --noEmit 2>&1 | head', '', 'ok'],
    ['npm test 2>&1 | head', '', 'unknown'],
    ['go test ./... 2>&1 | tail', '--- FAIL: TestA (0.00s)', 'error'],
    ['npm test || true', 'src/a.ts(1,2): error TS2345: no', 'error'],
    ['npm test; echo "exit=$?"', 'all fine\nexit=3', 'error', 3],
    ['npm test; echo "exit=$?"', '1 failed as planned\nexit=0', 'ok', 0],
    ['set -o pipefail; npm test | tail', '2 failed in the name of a test', 'ok', 0],
    ['npm test && echo "3 failed"', '3 failed', 'ok', 0],
  ])('have the outcome behind a hidden exit code: %s', (command, text, status, exitCode) => {
    const fact = first(shell('1', command, text, { exitCode: 0 }))
    expect([fact?.status, fact?.exitCode]).toEqual([status, exitCode])
  })

  it('count a search without matches as an answer', () => {
    expect(first(shell('1', 'cat a | grep x', 'Exit code 1', { status: 'error', exitCode: 1 }))?.status).toBe(
      'ok',
    )
    expect(
      first(shell('1', 'grep x nope', 'grep: nope: No such file', { status: 'error', exitCode: 2 }))?.status,
    ).toBe('error')
  })

  it('come from all forms of shell tools', () => {
    const texts = (drafts: EventDraft[]) => commandsOf(drafts).map(({ command }) => command)
    expect(texts(toolCall('1', 'shell', { command: ['bash', '-lc', 'npm test'] }))).toEqual(['npm test'])
    expect(texts(toolCall('1', 'shell', { command: ['rg', 'a b'] }))).toEqual(["rg 'a b'"])
    expect(texts(toolCall('1', 'exec_command', { cmd: 'ls' }))).toEqual(['ls'])
    expect(texts(toolCall('1', 'local_shell', { action: { type: 'exec', command: ['ls'] } }))).toEqual(['ls'])
    const stdin: EventDraft = {
      type: 'tool_call',
      callId: '1',
      name: 'write_stdin',
      kind: 'execute',
      input: { chars: 'ls' },
    }
    expect(texts([stdin])).toEqual([])
  })

  it('have the outcome of a background run from a later poll', () => {
    const claude = [
      ...toolCall(
        '1',
        'Bash',
        { command: 'npm test', run_in_background: true },
        { text: 'Command running in background with ID: bash_1' },
      ),
      ...toolCall(
        '2',
        'BashOutput',
        { bash_id: 'bash_1' },
        { text: '<status>failed</status>\n<exit_code>1</exit_code>' },
      ),
    ]
    expect(first(claude.slice(0, 2))?.status).toBe('unknown')
    expect(first(claude)).toMatchObject({ status: 'error', result: 'e4' })
    const poll: EventDraft[] = [
      {
        type: 'tool_call',
        callId: '3',
        name: 'write_stdin',
        kind: 'execute',
        input: { session_id: 7, chars: '' },
      },
      { type: 'tool_result', callId: '3', status: 'ok', text: 'done', exitCode: 0 },
    ]
    const codex = [
      ...toolCall('1', 'exec_command', { cmd: 'ls' }, { exitCode: 0 }),
      ...toolCall(
        '2',
        'exec_command',
        { cmd: 'go test ./...' },
        { text: 'Process running with session ID 7\n' },
      ),
    ]
    expect(commandsOf(codex)[1]?.status).toBe('unknown')
    expect(commandsOf([...codex, ...poll])[1]).toMatchObject({ status: 'ok', exitCode: 0, result: 'e6' })
  })

  it('include the last check as the validation', () => {
    const { validation } = extractFacts(
      makeSession([...shell('1', 'npm run lint'), ...shell('2', 'npm test'), ...shell('3', 'git push')]),
    )
    expect(validation?.program).toBe('npm test')
    expect(extractFacts(makeSession(shell('1', 'ls')))).not.toHaveProperty('validation')
  })
})
