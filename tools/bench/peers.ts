import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { compressLog, readSession, type Session, tiktokenCounter } from '@tenfold/core'
import { eventText } from '@tenfold/core/readers'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { timeInTurns } from './clock.ts'
import type { Measure } from './measures.ts'
import { installPeer, MissingPeer, titleOf } from './peer-packages.ts'
import { measureQueue } from './queue.ts'
import { cpuTime, program } from './start.ts'

/** Tenfold beside the packages that people use for a part of what it does, in one run, and which of them are missing. */
export async function measurePeers(
  logs: readonly string[],
  repeat: number,
  folder: string,
): Promise<{ readonly measures: Measure[]; readonly missing: string[] }> {
  const measures: Measure[] = []
  const missing: string[] = []
  for (const measure of [
    () => measureUsage(logs, join(folder, 'home')),
    () => measureCounters(logs, repeat),
    () => measureSelection(logs),
    () => measureBullMq(join(folder, 'queue'), repeat),
  ]) {
    try {
      measures.push(...(await measure()))
    } catch (error) {
      if (!(error instanceof MissingPeer)) throw error
      missing.push(error.message)
    }
  }
  return { measures, missing }
}

async function measureBullMq(folder: string, repeat: number): Promise<Measure[]> {
  const { version } = createRequire(import.meta.url)('bullmq/package.json') as { version: string }
  const rows = await measureQueue(folder, repeat)
  if (rows.length === 0)
    throw new MissingPeer(
      'redis-server is not installed. To compare with BullMQ: apt-get install redis-server',
    )
  return rows.map((row) => ({ ...row, against: `${row.against}, BullMQ ${version}` }))
}

/** CPU time of whole processes over the Claude Code folder of one home. */
async function measureUsage(logs: readonly string[], home: string): Promise<Measure[]> {
  const peer = installPeer('ccusage')
  const projects = join(home, '.claude', 'projects', 'demo')
  await mkdir(projects, { recursive: true })
  for (const log of logs)
    if (/"parentUuid"/.test((await readFile(log, 'utf8')).slice(0, 50_000)))
      await copyFile(log, join(projects, basename(log)))
  const ccusage = peer.path('ccusage/dist/index.js')
  const base = await cpuTime([ccusage, 'daily', '--json', '--offline'], home)
  const against = `${titleOf('ccusage')}: usage only`
  const rows: Measure[] = []
  for (const [what, ...args] of [
    ['inspect a folder: usage, tokens, tools', 'inspect', projects, '--json'],
    ['compress a folder offline', 'compress', projects, '--again'],
  ] as const) {
    const value = await cpuTime([program, ...args], home)
    rows.push({ what, value, unit: 'ms', against, base, ratio: value / base })
  }
  return rows
}

// js-tiktoken takes quadratic time for a line without spaces.
const maxLine = 1000
const maxText = 2e6

/** Counting the same text, which all must count alike. */
async function measureCounters(logs: readonly string[], repeat: number): Promise<Measure[]> {
  const gpt = installPeer('gpt-tokenizer').load('gpt-tokenizer/encoding/o200k_base') as {
    countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
    clearMergeCache(): void
  }
  const js = (
    installPeer('js-tiktoken').load('js-tiktoken') as {
      getEncoding(name: string): { encode(text: string, allowed: [], disallowed: []): number[] }
    }
  ).getEncoding('o200k_base')
  const texts: string[] = []
  let size = 0
  for (const log of logs)
    for (const event of (await readSession(log)).events) {
      const lines = eventText(event).split('\n')
      const text = lines.filter((line) => line.length <= maxLine).join('\n')
      if (size > maxText) break
      size += Buffer.byteLength(text)
      texts.push(text)
    }
  const totals = new Set<number>()
  const sum = (count: (text: string) => number) => () =>
    totals.add(texts.reduce((tokens, text) => tokens + count(text), 0))
  const everyText = { disallowedSpecial: new Set<string>() }
  const [own = 0, ...others] = await timeInTurns(
    [
      // Each run starts without a memory of texts seen before.
      { name: 'tenfold', run: () => sum(tiktokenCounter().count)() },
      {
        name: 'gpt-tokenizer',
        run() {
          gpt.clearMergeCache()
          sum((text) => gpt.countTokens(text, everyText))()
        },
      },
      { name: 'js-tiktoken', run: sum((text) => js.encode(text, [], []).length) },
    ],
    repeat,
  )
  if (totals.size !== 1) throw new Error(`the counters differ: ${[...totals].join(' and ')} tokens`)
  return (['gpt-tokenizer', 'js-tiktoken'] as const).map((name, index) => {
    const [value, base] = [size / 1e6 / own, size / 1e6 / (others[index] ?? Number.NaN)]
    return { what: 'count tokens', value, unit: 'MB/s', against: titleOf(name), base, ratio: value / base }
  })
}

// The package compares all sentences with each other: 300 took more than 12 s.
const sentences = 50

/** Choosing what to keep: kB of a session's text that are looked at in a second, all of it here, an excerpt there. */
async function measureSelection(logs: readonly string[]): Promise<Measure[]> {
  const peer = installPeer('textrank')
  const [log = ''] = logs
  const session = await readSession(log)
  const excerpt = sentencesOf(session).slice(0, sentences).join(' ')
  const { TextRank } = peer.load('textrank') as {
    TextRank: new (text: string, options: { extractAmount: number }) => object
  }
  const counter = tiktokenCounter()
  const [own = 0, ranking = 0] = await timeInTurns(
    [
      { name: 'tenfold', run: () => compressLog(log, { summarizer: extractiveSummarizer(), counter }) },
      { name: 'textrank', run: () => new TextRank(excerpt, { extractAmount: sentences / 10 }) },
    ],
    1,
  )
  const size = session.events.reduce((bytes, event) => bytes + Buffer.byteLength(eventText(event)), 0)
  const [value, base] = [size / 1000 / own, Buffer.byteLength(excerpt) / 1000 / ranking]
  const against = `${titleOf('textrank')} on ${sentences} sentences`
  return [{ what: 'choose what to keep', value, unit: 'kB/s', against, base, ratio: value / base }]
}

function sentencesOf({ events }: Session): string[] {
  return events
    .filter(({ type }) => type === 'assistant' || type === 'user')
    .flatMap((event) => eventText(event).match(/[A-Z][\w ,'-]{30,200}\./g) ?? [])
}
