import {
  type BundleStore,
  bundleFromMarkdown,
  bundleStore,
  bundleToMarkdown,
  type CompressedLog,
  compressLog,
  memoryStorage,
  resume,
  tiktokenCounter,
} from '@tenfold/core'
import { verifyStore } from '@tenfold/core/store'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { describe, expect, it } from 'vitest'
import { carryOver } from '../../packages/core/src/carry/carry-over.ts'
import { type Line, logOf, look, write } from '../support/claude-log.ts'

const counter = tiktokenCounter()
const maxTokens = 1500

async function briefFor(store: BundleStore): Promise<string> {
  const { text, tokens } = await resume({ store, maxTokens, counter })
  expect(tokens).toBeLessThanOrEqual(maxTokens)
  return text
}

/** A session that is given the brief of the store, if it has one, and is then compressed into it. */
async function nextSession(
  store: BundleStore,
  name: string,
  day: number,
  said: readonly Line[],
): Promise<CompressedLog & { readonly brief: string }> {
  const given = (await store.latest('main')) === undefined ? undefined : await briefFor(store)
  const made = await compressLog(logOf(name, day, given, said), { store, summarizer: extractiveSummarizer() })
  const markdown = bundleToMarkdown(made.bundle)
  expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
  return { ...made, brief: await briefFor(store) }
}

const first: Line[] = [
  {
    user: 'Add a price module to the shop. Never change src/legacy.mjs. Always run the linter before a commit.',
  },
  look('src/index.mjs'),
  write('src/price.mjs'),
  {
    agent:
      'The price module is there. Next steps:\n1. Add the CSV export of the price list to the report.\n2. Write the migration guide for the new price format.\n3. Translate the price labels into Dutch.',
  },
]

describe('a log that does not show the brief', () => {
  it('carries over from the bundle that the caller names, and from none without it', async () => {
    const store = bundleStore(memoryStorage())
    const one = await nextSession(store, 's1', 1, first)
    const log = logOf('s2', 2, undefined, [
      { user: 'Please translate the price labels into Dutch.' },
      write('src/labels.mjs'),
      { agent: 'The price labels are in Dutch.' },
    ])
    const options = { store, summarizer: extractiveSummarizer() }
    const told = await compressLog(log, { ...options, given: one.bundle.id })
    expect(told.bundle.previous).toBe(one.bundle.id)
    expect(told.bundle.carried?.map(({ text }) => text).join()).toMatch(/src\/legacy\.mjs.*CSV export/s)
    const untold = await compressLog(log, { ...options, track: 'other' })
    expect(untold.bundle.previous).toBeUndefined()
    expect(untold.bundle.carried).toBeUndefined()
  })
})

describe('a session that was given no brief, as if its hook was killed,', () => {
  const options = (store: BundleStore) => ({ store, summarizer: extractiveSummarizer() })
  const words = ({ carried = [] }: CompressedLog['bundle']) => carried.map(({ as, text }) => `${as}: ${text}`)

  it('names no previous bundle, but carries over open steps and the rules that the user did not lift', async () => {
    const store = bundleStore(memoryStorage())
    await nextSession(store, 's1', 1, first)
    const said: Line[] = [
      { user: 'Translate the labels. You may change src/legacy.mjs from now on.' },
      write('src/labels.mjs'),
      { agent: 'The labels are translated.' },
    ]
    const { bundle } = await compressLog(logOf('s2', 2, undefined, said), options(store))
    expect(bundle.previous).toBeUndefined()
    const steps = [
      'step: Add the CSV export of the price list to the report.',
      'step: Write the migration guide for the new price format.',
      'step: Translate the price labels into Dutch.',
    ]
    expect(words(bundle)).toEqual(['constraint: Always run the linter before a commit.', ...steps])
    expect(await briefFor(store)).toContain('Always run the linter before a commit.')
    const next = await nextSession(store, 's3', 3, [{ user: 'Add a changelog.' }, write('CHANGELOG.md')])
    expect(words(next.bundle)).toContain('constraint: Always run the linter before a commit.')
  })

  it('carries over no steps from before the last session', async () => {
    const store = bundleStore(memoryStorage())
    await nextSession(store, 's1', 1, first)
    const plant: Line[] = [{ user: 'Plant a tree.' }, write('tree.md'), { agent: 'It is planted.' }]
    await compressLog(logOf('s2', 2, undefined, plant), options(store))
    const { bundle } = await compressLog(logOf('s3', 3, undefined, plant), options(store))
    expect(words(bundle)).toEqual([
      'constraint: Never change src/legacy.mjs.',
      'constraint: Always run the linter before a commit.',
    ])
  })

  it('carries over no requirement of a single piece of work', async () => {
    const store = bundleStore(memoryStorage())
    const asked = 'Draw the icons. The icons must be pngs. Never touch src/legacy.mjs.'
    await nextSession(store, 's1', 1, [{ user: asked }, write('icons/oven.png')])
    const said: Line[] = [{ user: 'Translate the labels.' }, write('src/labels.mjs')]
    const { bundle } = await compressLog(logOf('s2', 2, undefined, said), options(store))
    expect(words(bundle).filter((text) => text.startsWith('constraint'))).toEqual([
      'constraint: Never touch src/legacy.mjs.',
    ])
  })

  it('knows no rule of another folder or track, or of a session that ran at its time', async () => {
    const store = bundleStore(memoryStorage())
    await nextSession(store, 's1', 2, first)
    const log = (day: number, folder: string) =>
      new TextDecoder()
        .decode(logOf('s2', day, undefined, [{ user: 'Translate the labels.' }, write('src/labels.mjs')]))
        .replaceAll('/home/dev/shop', folder)
    for (const [text, track] of [
      [log(3, '/home/dev/till'), 'main'],
      [log(3, '/home/dev/shop'), 'other'],
      [log(2, '/home/dev/shop'), 'main'],
    ] as const) {
      const { bundle } = await compressLog(new TextEncoder().encode(text), { ...options(store), track })
      expect(words(bundle)).toEqual([])
    }
  })
})

describe('five sessions in a row', () => {
  it('lose no rule and no open step, and bring no cancelled work back', async () => {
    const store = bundleStore(memoryStorage())
    const one = await nextSession(store, 's1', 1, first)
    expect(one.brief).toMatch(/CSV export/)

    const two = await nextSession(store, 's2', 2, [{ user: 'Hello' }, { agent: 'Hello, what shall we do?' }])
    expect(two.stored).toBeUndefined()
    expect(two.notes.map(({ code }) => code)).toContain('trivial-session')
    expect((await store.latest('main'))?.bundle.id).toBe(one.bundle.id)

    const three = await nextSession(store, 's3', 3, [
      {
        user: 'Forget the CSV export, the report is going away. From now on use only metric units in the shop. Please write the migration guide.',
      },
      look('src/price.mjs'),
      write('docs/migration.md'),
      { agent: 'I wrote the migration guide for the new price format.' },
    ])
    expect(three.bundle.previous).toBe(one.bundle.id)
    expect(three.bundle.carried?.every(({ from }) => from === one.bundle.id)).toBe(true)
    expect(three.brief).not.toMatch(/CSV export of the price list/)

    const four = await nextSession(store, 's4', 4, [
      { user: 'Which branch is this?' },
      { agent: 'It is main.' },
    ])
    expect(four.stored).toBeUndefined()

    const five = await nextSession(store, 's5', 5, [
      { user: 'Make the price rounding half even in the price module and check it.' },
      write('src/round.mjs'),
      { agent: 'Prices are rounded half even now.' },
    ])
    expect(five.bundle.previous).toBe(three.bundle.id)

    const carried = five.bundle.carried?.map(({ as, text, from }) => `${as}: ${text} (${from})`).join('\n')
    expect(carried).toMatch(`constraint: Never change src/legacy.mjs. (${one.bundle.id})`)
    expect(carried).toMatch(`constraint: Always run the linter before a commit. (${one.bundle.id})`)
    expect(carried).toMatch(/constraint: From now on use only metric units in the shop\. /)
    expect(carried).toMatch(/step: .*Dutch/)
    expect(carried).not.toMatch(/CSV export|migration guide/)

    for (const text of ['Never change src/legacy.mjs', 'run the linter', 'metric units', 'Dutch'])
      expect(five.brief).toContain(text)
    // The title of the third session says that it is gone.
    expect(five.brief).not.toMatch(/CSV export of the price list|[Ww]rite the migration guide/)
  })

  it('keep what two sessions left that were given the same brief', async () => {
    const store = bundleStore(memoryStorage())
    const { bundle: root, brief } = await nextSession(store, 's1', 1, first)
    const options = { store, summarizer: extractiveSummarizer() }
    const left = [
      { user: 'The totals must never be negative. Add a check for that to the cart.' },
      write('src/cart.mjs'),
    ]
    const right = [{ user: 'Translate the price labels into Dutch.' }, write('src/nl.mjs')]
    const done = { agent: 'Translated the price labels into Dutch.' }
    const a = await compressLog(
      logOf('a', 2, brief, [...left, { agent: 'Added the check to the cart.' }]),
      options,
    )
    const { bundle } = await compressLog(logOf('b', 3, brief, [...right, done]), options)
    expect([a.bundle.previous, bundle.previous]).toEqual([root.id, a.bundle.id])
    const texts = bundle.carried?.map(({ text }) => text).join('\n')
    expect(texts).toMatch(/totals must never be negative/)
    expect(texts).toMatch(/Never change src\/legacy\.mjs/)
    expect(texts).not.toMatch(/Dutch/)
  })

  it('hand on what was compressed late, as after a kill, once and for all', async () => {
    const store = bundleStore(memoryStorage())
    const { bundle: root, brief } = await nextSession(store, 's1', 1, first)
    const options = { store, summarizer: extractiveSummarizer() }
    // Killed before its answer.
    const cart = [
      { user: 'The totals must never be negative. Write the manual of the voucher module.' },
      look('src/cart.mjs'),
    ]
    const dutch = [{ user: 'Translate the price labels into Dutch.' }, write('src/nl.mjs')]
    const later = await compressLog(logOf('b', 3, brief, dutch), options)
    const late = await compressLog(logOf('a', 2, brief, cart), options)
    expect(late.bundle.previous).toBe(root.id)
    expect((await store.list()).map(({ id }) => id)).toEqual([root.id, late.bundle.id, later.bundle.id])
    const next = await briefFor(store)
    expect(next).toContain(`Brief of bundle ${later.bundle.id}`)
    for (const text of ['totals must never be negative', 'voucher module']) expect(next).toContain(text)
    const done = await nextSession(store, 'c', 4, [
      { user: 'Write the manual of the voucher module.' },
      write('docs/voucher.md'),
      { agent: 'Wrote the manual of the voucher module.' },
    ])
    expect(done.bundle.previous).toBe(later.bundle.id)
    expect(done.brief).toContain('totals must never be negative')
    expect(done.bundle.carried?.map(({ text }) => text).join()).not.toMatch(/voucher/)
    // What it did is not brought back by the bundle that came late.
    const last = await nextSession(store, 'd', 5, [{ user: 'Add a changelog.' }, write('CHANGELOG.md')])
    expect(last.brief).toContain('totals must never be negative')
    expect(last.bundle.carried?.map(({ text }) => text).join()).not.toMatch(/voucher/)
  })

  it('have one bundle each, however often they were compressed, and lose nothing by it', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const { bundle: root, brief } = await nextSession(store, 's1', 1, first)
    const options = { store, summarizer: extractiveSummarizer() }
    const said: Line[] = [
      { user: 'Add the cart to the shop. Never use floats for money.' },
      write('src/cart.mjs'),
      { agent: 'The cart is there.' },
    ]
    const before = await compressLog(logOf('s2', 2, brief, said), options)
    // Another session begins with its brief, as between two compactions.
    const given = await briefFor(store)
    const more: Line[] = [...said, { user: 'Now add vouchers.' }, write('src/voucher.mjs')]
    const { bundle } = await compressLog(logOf('s2', 2, brief, more), options)
    expect((await store.list()).map(({ id }) => id)).toEqual([root.id, bundle.id])
    expect(await store.load(before.bundle.id)).toEqual(before.bundle)
    const archived: string[] = []
    for await (const { key } of storage.list('archive/')) if (key.endsWith('.sums')) archived.push(key)
    expect(archived).toHaveLength(2)
    expect((await verifyStore(storage)).findings).toEqual([])
    const other = await compressLog(
      logOf('s3', 3, given, [{ user: 'Add a changelog of the shop.' }, write('CHANGELOG.md')]),
      options,
    )
    expect(other.bundle.previous).toBe(bundle.id)
    expect(other.bundle.carried?.map(({ text }) => text).join()).toMatch(/floats for money/)
    // One of another kind, as at the end of a phase, stays beside it.
    await compressLog(logOf('s2', 2, brief, more), { ...options, kind: 'progress' })
    expect(await store.list({ sessionId: 's2' })).toHaveLength(2)
  })

  it('follow the session that was compressed in between back to the one before it', async () => {
    const store = bundleStore(memoryStorage())
    const { bundle: root, brief } = await nextSession(store, 's1', 1, first)
    const options = { store, summarizer: extractiveSummarizer() }
    const said: Line[] = [{ user: 'Add the cart to the shop and keep it small.' }, write('src/cart.mjs')]
    await compressLog(logOf('s2', 2, brief, said), options)
    const own = await briefFor(store)
    const more: Line[] = [
      ...said,
      { agent: 'The cart is there.' },
      { hook: own },
      { user: 'Go on with the labels.' },
    ]
    const { bundle } = await compressLog(logOf('s2', 2, brief, more), options)
    expect(bundle.previous).toBe(root.id)
    expect(bundle.carried?.map(({ text }) => text)).toContain('Never change src/legacy.mjs.')
  })

  it('carry what a bundle had room for only in its trail', async () => {
    const store = bundleStore(memoryStorage())
    const { bundle: root } = await nextSession(store, 's1', 1, [
      { user: 'Write src/sum.mjs so that the check passes. Never change check.mjs.' },
      write('src/sum.mjs'),
      { agent: 'The sum is right. Next step: document the sum module.' },
    ])
    const summarizer = extractiveSummarizer()
    const said = [{ user: 'Which modules are there?' }, { agent: 'There is one module so far.' }]
    const { bundle, session, facts } = await compressLog(logOf('s2', 2, undefined, said), { summarizer })
    const entry = (event: 'e1' | 'e4', label: string, text: string) => ({ event, agent: 'main', label, text })
    const trail = [
      entry('e1', 'user', 'Write src/sum.mjs so that the check passes. Never change check.mjs.'),
      entry('e4', 'assistant', 'The sum is right. Next step: document the sum module.'),
    ]
    const parent = { ...root, constraints: [], nextSteps: [], trail }
    expect(carryOver(parent, session, facts, bundle).items.map(({ as, text }) => `${as}: ${text}`)).toEqual([
      'constraint: Never change check.mjs.',
    ])
  })

  it('say so if the bundle of the brief is not in the store', async () => {
    const store = bundleStore(memoryStorage())
    const { bundle: root, brief } = await nextSession(store, 's1', 1, first)
    const { bundle } = await compressLog(
      logOf('s2', 2, brief, [
        { user: 'Add the cart to the shop, please.' },
        look('src/price.mjs'),
        write('src/cart.mjs'),
      ]),
      { store: bundleStore(memoryStorage()), summarizer: extractiveSummarizer() },
    )
    expect(bundle.previous).toBe(root.id)
    expect(bundle.carried).toBeUndefined()
    expect(bundle.notes.map(({ code }) => code)).toContain('not-carried')
  })
})
