import { secretRedactor } from '@tenfold/core'
import { createRedaction } from '@tenfold/core/redact'
import { seededRandom } from '../eval/random.ts'
import { scoreGenerated, scoreHarmless } from '../eval/secrets/measure-secrets.ts'
import { alphabets, randomText } from '../eval/secrets/random-text.ts'

/** Share of the random secrets of a source that must be found. */
const enough = 0.95

/** Another way in which a text may write a value that the session knows. */
const spellings: Readonly<Record<string, (value: string) => string>> = {
  capitals: (value) => value.toUpperCase(),
  'small letters': (value) => value.toLowerCase(),
  base64: (value) => Buffer.from(value).toString('base64'),
  hex: (value) => Buffer.from(value).toString('hex'),
  escaped: (value) => value.replace(/[^A-Za-z0-9]/g, '\\$&'),
  cut: (value) => `${value.slice(0, 20)}…`,
  'cut at the front': (value) => `…${value.slice(-20)}`,
  wrapped: (value) => value.replace(/.{20}/g, '$&\n'),
  numbered: (value) => value.replace(/.{20}/g, '$&\n     2→'),
}

/** The results of random secrets. Each fault names what was missed. */
export interface SecretsReport {
  readonly tried: number
  readonly faults: readonly string[]
}

/** Looks for `values` random secrets of each family, in each other spelling, and in texts that hold none. */
export function runSecrets(seed: number, values: number): SecretsReport {
  const redactor = secretRedactor()
  const scores = scoreGenerated(redactor, seed, values, () => {})
  const faults = [...new Set(scores.map(({ source }) => source))].flatMap((source) => {
    const own = scores.filter((one) => one.source === source)
    const right = own.reduce((sum, { tally }) => sum + tally.right, 0)
    const all = own.reduce((sum, { tally }) => sum + tally.all, 0)
    const [worst] = own
      .map((one) => one.worst)
      .sort((a, b) => a.tally.right / a.tally.all - b.tally.right / b.tally.all)
    return right >= enough * all ? [] : [`${source}: ${right} of ${all} found, the worst ${worst?.syntax}`]
  })
  const harmless = scoreHarmless(redactor, seed, values)
  const random = seededRandom(seed)
  for (const [spelling, write] of Object.entries(spellings))
    for (let count = 0; count < values; count++) {
      const value = randomText(alphabets.base64url, 40, random)
      const redaction = createRedaction([redactor])
      redaction.learn(`API_KEY="${value}"`)
      if (!redaction.redact(write(value)).includes('[redacted:'))
        faults.push(`known value, ${spelling}: ${value}`)
    }
  return {
    tried:
      scores.reduce((sum, { tally }) => sum + tally.all, harmless.tally.all) +
      values * Object.keys(spellings).length,
    faults: [...faults, ...harmless.found.map((text) => `found in a text without a secret: ${text}`)],
  }
}
