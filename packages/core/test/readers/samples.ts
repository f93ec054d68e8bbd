import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { SampleLog } from '../../src/testing/reader-expect.ts'

const fixtures = new URL('../fixtures/', import.meta.url)
const unknownName = 'unknown-record.json'

/** The small logs of a format, made for these tests: `test/fixtures/<reader>/<any name>`. */
export function samplesOf(reader: string): SampleLog[] {
  return logsIn(reader)
}

/** Logs that each show one thing, and only what their outline says: `test/fixtures/<reader>/more/<what it shows>`. */
export function moreSamplesOf(reader: string): SampleLog[] {
  return existsSync(new URL(`${reader}/more`, fixtures)) ? logsIn(`${reader}/more`) : []
}

function logsIn(path: string): SampleLog[] {
  const folder = new URL(`${path}/`, fixtures)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== unknownName)
    .map(({ name }) => ({ name: `${path}/${name}`, bytes: readFileSync(new URL(name, folder)) }))
}

/** The small logs of all other formats. */
export function samplesBeside(reader: string): SampleLog[] {
  return fixtureFolders()
    .filter((name) => name !== reader)
    .flatMap(samplesOf)
}

/** Names of the readers that have samples. */
export function fixtureFolders(): string[] {
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** A record of a kind that the reader cannot know: `unknown-record.json` next to its samples. */
export function unknownRecordOf(reader: string): unknown {
  const folder = new URL(`${reader}/`, fixtures)
  if (!readdirSync(folder).includes(unknownName)) return undefined
  return JSON.parse(readFileSync(new URL(unknownName, folder), 'utf8'))
}
