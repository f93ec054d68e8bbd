import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of a test, and what can be done in it. */
export interface Folder {
  readonly path: string
  /** Runs git there, without the settings of the machine, and returns its output. */
  git(...args: string[]): string
  /** Writes files by path. */
  write(files: Record<string, string>): void
  /** Writes files and commits everything; returns the commit id. */
  commit(files: Record<string, string>, message?: string): string
}

/** A new folder that is removed after the test. */
export function makeFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-git-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return folderAt(path)
}

/** A new repository on branch `main`, without a commit. */
export function makeRepository(...args: string[]): Folder {
  const folder = makeFolder()
  folder.git('init', '--quiet', '--initial-branch=main', ...args)
  return folder
}

export function folderAt(path: string): Folder {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'core.autocrlf=false', ...args], {
      cwd: path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C', ...identity },
    })
  const write = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    }
  }
  const commit = (files: Record<string, string>, message = 'a commit'): string => {
    write(files)
    git('add', '--all')
    git('commit', '--quiet', '--no-verify', '--allow-empty', '--message', message)
    return git('rev-parse', 'HEAD').trim()
  }
  return { path, git, write, commit }
}

const identity = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
}
