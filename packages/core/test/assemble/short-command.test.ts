import { describe, expect, it } from 'vitest'
import { shortCommand } from '../../src/assemble/short-command.ts'

describe('shortCommand', () => {
  it.each([
    ['npm test 2>&1 | tail -20', 'npm test'],
    ['go test ./... | head -n 5', 'go test ./...'],
    ['PORT=8081 make run 2>&1', 'PORT=8081 make run'],
    ['grep -c error build.log | sort | head', 'grep -c error build.log | sort'],
    ['tail -20 build.log', 'tail -20 build.log'],
    ['npm test 2>errors.log', 'npm test 2>errors.log'],
  ])('leaves out commands that only shorten the output: %s', (command, expected) => {
    expect(shortCommand(command)).toBe(expected)
  })

  it('keeps the beginning of a text given to the command', () => {
    const command = `git commit -m "$(cat <<'EOF' Keep the order of the queue ${'because two readers may take the same row. '.repeat(6)}EOF )"`
    expect(shortCommand(command)).toMatch(
      /^git commit -m "\$\(cat <<'EOF' Keep the order of the queue because .* \[…\d+ chars\]$/,
    )
    expect(shortCommand(command)).not.toContain('EOF )')
  })

  it('takes little time for any text', () => {
    for (const text of [' | tail'.repeat(20_000), ' '.repeat(100_000), '| head -'.repeat(20_000)])
      shortCommand(`x${text}y`)
  })
})
