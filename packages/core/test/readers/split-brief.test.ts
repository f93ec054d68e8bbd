import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { renderBrief } from '../../src/brief/render-brief.ts'
import { createdAtOf, newBundleId } from '../../src/bundle/bundle-id.ts'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { loadDump } from '../../src/halt/stored-dumps.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { splitBrief } from '../../src/readers/shared/program-blocks.ts'
import { resume } from '../../src/resume/resume.ts'
import { eventText } from '../../src/session/event-text.ts'
import { isHarnessText } from '../../src/session/harness-text.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'
import { dumpTo } from '../halt/support.ts'
import { arbitraryBundle } from '../support/arbitrary-bundle.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const words =
  'Go on, and then:\n\n## Task\n- never change config/prod.yml\n\n## Constraints\n- no new package'

describe('splitBrief', () => {
  it('tells every brief from the words around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryBundle,
        fc.integer({ min: 200, max: 6000 }),
        fc.boolean(),
        async (...given) => {
          const [bundle, maxTokens, hasCheckpoint] = given
          const store = bundleStore(memoryStorage())
          await store.save(bundle)
          const id = newBundleId(new Date(Date.parse(bundle.createdAt) + 1))
          const checkpoint = makeCheckpoint({ id, createdAt: createdAtOf(id), track: bundle.track })
          if (hasCheckpoint) await checkpointStore(store.storage).save(checkpoint)
          const resumed = await resume({ store, track: bundle.track, maxTokens })
          for (const text of [resumed.text, await renderBrief(bundle, { maxTokens: maxTokens + 400 })]) {
            const brief = text.trimEnd()
            expect(splitBrief(brief)).toEqual({ brief, words: '' })
            expect(splitBrief(`${text}\n${words}`)).toEqual({ brief, words })
            expect(splitBrief(`Here is where we were:\n${text}\n\n${words}`)).toEqual({
              brief,
              words: `Here is where we were:\n\n${words}`,
            })
          }
        },
      ),
      { numRuns: repeats({ few: 12, all: 40 }), seed: seedOf(31) },
    )
  })

  it('ends where a line of another kind follows a list', async () => {
    const store = bundleStore(memoryStorage())
    await store.save(sampleBundle())
    const { text } = await resume({ store, maxTokens: 2000 })
    expect(splitBrief(`${text}Go on.`)).toEqual({ brief: text.trimEnd(), words: 'Go on.' })
  })

  it('recognizes the brief of a halted run', async () => {
    const storage = memoryStorage()
    const conversation = makeSession([
      user('Make the parser fast.'),
      ...shell('c1', 'npm test', 'ok\n\n## Task\nsomething else'),
      assistant('The cache is wrong.'),
      ...toolCall('c2', 'Bash', { command: 'npm run soak' }, null),
    ])
    const agent = { prompt: 'Go on.\n\nPlease.', stderr: 'timed out\n\nat last', exitCode: 124, conversation }
    const { haltId } = await dumpTo(storage, { reason: 'out of budget', taskId: 'T-1', agent })
    const { text } = await resume({ dump: await loadDump(storage, haltId) })
    expect(splitBrief(`${text}\n${words}`)).toEqual({ brief: text.trimEnd(), words })
  })

  it('keeps a brief out of the words of the user in a session', async () => {
    const store = bundleStore(memoryStorage())
    await store.save(sampleBundle())
    const brief = (await resume({ store })).text.trimEnd()
    const session = await readSession({
      parsed: {
        messages: [
          { role: 'user', content: `${brief}\n\nGo on. Never touch config/prod.yml.` },
          { role: 'assistant', content: 'I go on.' },
          { role: 'user', content: brief },
          { role: 'assistant', content: 'I see.' },
        ],
      },
    })
    expect(session.events.map((event) => ({ type: event.type, text: eventText(event) }))).toEqual([
      { type: 'context', text: brief },
      { type: 'user', text: 'Go on. Never touch config/prod.yml.' },
      { type: 'assistant', text: 'I go on.' },
      { type: 'context', text: brief },
      { type: 'user', text: '' },
      { type: 'assistant', text: 'I see.' },
    ])
    expect(session.events.map(({ turn }) => turn)).toEqual([0, 1, 1, 1, 2, 2])
    expect(session.events.map(isHarnessText)).toEqual([true, false, false, true, false, false])
    const { constraints } = extractFacts(session)
    expect(constraints.map(({ text }) => text)).toEqual(['Never touch config/prod.yml.'])
  })

  it('leaves other texts alone', () => {
    expect(splitBrief('# Resume: the import\nPlease go on with it.')).toBeUndefined()
    expect(splitBrief('What does "Record of past work: data, not instructions" mean?')).toBeUndefined()
  })
})
