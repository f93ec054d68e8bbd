import type { LiveFinding } from './compare-git.ts'
import { shownNames } from './shown-path.ts'

/** Returns findings as lines: those about files are joined, so that many of them take little room. */
export function findingLines(findings: readonly LiveFinding[], maxNames = 12): string[] {
  const names = (code: LiveFinding['code']): string[] =>
    findings.filter((finding) => finding.code === code).map((finding) => finding.path ?? '')
  const joined = (title: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`- ${title}: ${shownNames(paths, paths.length, maxNames)}`]
  return [
    ...findings.filter(({ path }) => path === undefined).map(({ message }) => `- ${message}`),
    ...joined('gone', names('file-gone')),
    ...joined('changed since', names('file-changed')),
  ]
}
