import { codeReader } from '@tenfold/tokens/internal'
import type { Redactor, SecretFinding } from './redactor.ts'
import { isPublic } from './rules/allow-list.ts'
import { assignmentTriggers } from './rules/assignment.ts'
import { commandTriggers } from './rules/commands.ts'
import { emailFindings } from './rules/email.ts'
import { encodedTokenTriggers } from './rules/encoded-tokens.ts'
import { matchLongRuns } from './rules/long-runs.ts'
import { manifestTriggers } from './rules/manifests.ts'
import { mergeFindings } from './rules/merge-findings.ts'
import { matchOtherScripts, nearTriggers } from './rules/near.ts'
import { placeTriggers } from './rules/places.ts'
import { privateKeyTriggers } from './rules/private-key.ts'
import { type Scan, triggerIndex, wakeRarely } from './rules/scan.ts'
import { matchSeeds, seedTriggers } from './rules/seed-phrases.ts'
import { rowTriggers } from './rules/tables.ts'
import { terminalView } from './rules/terminal-view.ts'
import { tokenTriggers } from './rules/token-shape.ts'
import { vendorShapes } from './rules/token-shapes.ts'
import { matchOracleLogins, urlTriggers } from './rules/url-secrets.ts'

/** Options of {@link secretRedactor}: what to find besides secrets. */
export interface SecretRedactorOptions {
  /** @default false */
  readonly emails?: boolean | undefined
}

/** Long texts are read in windows that overlap by the longest secret, so that memory stays small. */
const windowLength = 1 << 19
const overlap = 1 << 15

/** Made at the first text: it takes as long as loading a tenth of the package. */
function createScanner(): (scan: Scan) => void {
  return triggerIndex([
    ...tokenTriggers(vendorShapes),
    ...encodedTokenTriggers,
    ...manifestTriggers,
    ...privateKeyTriggers,
    ...urlTriggers,
    ...assignmentTriggers,
    ...placeTriggers,
    ...seedTriggers,
    ...wakeRarely([...nearTriggers, ...commandTriggers, ...rowTriggers]),
  ])
}

const readCodes = codeReader()
let scanTriggers: ReturnType<typeof createScanner> | undefined

/**
 * Finds secrets by their vendors' shapes and by the names next to them: keys, tokens, passwords, private keys,
 * credentials in URLs and headers. Variables, placeholders, hashes, ids and public keys are left alone.
 */
export function secretRedactor(options: SecretRedactorOptions = {}): Redactor {
  const emails = options.emails ?? false
  return {
    name: 'secrets',
    ...(emails && { settings: 'emails' }),
    recipe: { name: 'secretRedactor', args: [{ emails }] },
    find: (text) => findSecrets(text, emails),
  }
}

function findSecrets(text: string, emails: boolean): readonly SecretFinding[] {
  if (text.length < 6) return []
  const findings: SecretFinding[] = []
  for (let start = 0; start < text.length; start += windowLength) {
    const from = Math.max(0, start - overlap)
    const window = text.slice(from, start + windowLength + overlap)
    for (const { start: first, end, type } of findInWindow(window, emails)) {
      const at = first + from
      if (at >= start && at < start + windowLength) findings.push({ start: at, end: end + from, type })
    }
    if (window.length === text.length) break
  }
  return mergeFindings(text, findings)
}

/** What a name promises; other types come from the shape of the value, which says more than what is around it. */
const namedTypes = new Set(['password', 'one-time-code', 'secret', 'access-token', 'api-key', 'credential'])

function findInWindow(text: string, emails: boolean): readonly SecretFinding[] {
  const view = terminalView(text)
  const read = view?.text ?? text
  const findings: SecretFinding[] = []
  const report = (start: number, end: number, type: string): void => {
    if (namedTypes.has(type) && isPublic(read, start, end)) return
    if (end > start) findings.push({ ...(view?.original({ start, end }) ?? { start, end }), type })
    scan.found = findings.length
    scan.foundFrom = start
    scan.foundTo = end
  }
  const scan: Scan = {
    text: read,
    codes: readCodes(read),
    found: 0,
    foundFrom: 0,
    foundTo: 0,
    namesReadTo: 0,
    tokensReadTo: 0,
    manifestsReadTo: 0,
    valueBudget: 5000 + read.length,
    commandBudget: 20_000 + 4 * read.length,
    report,
  }
  scanTriggers ??= createScanner()
  scanTriggers(scan)
  for (const match of [matchLongRuns, matchSeeds, matchOtherScripts, matchOracleLogins]) match(scan)
  if (emails) emailFindings(read, report)
  return findings
}
