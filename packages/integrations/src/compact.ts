import {
  type BundleStore,
  bundleStore,
  type ContextBundle,
  compressLog,
  compressOnce,
  memoryStorage,
  type Redactor,
  renderBrief,
  type Summarizer,
  TenfoldError,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import type { AbortableOptions } from '@tenfold/core/storage'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { briefOf, cutPlaces, messageCounter, shapeOf, sum, userMessage } from './messages.ts'

/** The size to compact messages to, and where the replaced ones are kept. */
export interface CompactOptions extends AbortableOptions {
  /** Maximum tokens of the returned messages, which are the next prompt without its tools. At least 1000. */
  readonly maxTokens: number
  /**
   * Number of last messages that stay unchanged: more if a tool call would be separated from its result, fewer if they
   * do not fit.
   * @default 10
   */
  readonly keepLast?: number | undefined
  /** @default extractiveSummarizer(), which needs no network */
  readonly summarizer?: Summarizer | readonly Summarizer[] | undefined
  /**
   * Keeps the bundle and the replaced messages, for `recall` and for the next compaction.
   * @default they are kept in memory as long as the message with the brief is
   */
  readonly store?: BundleStore | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: TokenCounter | undefined
  /** @default [secretRedactor()] */
  readonly redactors?: readonly Redactor[] | undefined
}

/** Messages that fit, and the bundle of the others. */
export interface Compacted<M> {
  /** System messages, the brief and the last messages, or the given messages if they already fit. */
  readonly messages: M[]
  /** Tokens of `messages`. Exceeds `maxTokens` only if the system messages and the last message alone do. */
  readonly tokens: number
  /** Number of messages that the brief replaces. */
  readonly replaced: number
  /** Bundle of the replaced messages. Undefined if none were replaced. */
  readonly bundle?: ContextBundle
}

/** Minimum tokens of a useful brief. */
const minBrief = 400

/**
 * Replaces all but the last messages of a running session by one with their brief, so that the rest takes at most
 * `maxTokens`. Takes and returns messages of Anthropic, OpenAI (Chat and Responses), the AI SDK (model and UI
 * messages), LangChain or OpenAI Agents. Keeps system messages, never separates a call from its result, and builds on a
 * brief that is among the messages. Throws like `compressOnce`, TypeError if `messages` is not a list of messages, and
 * RangeError for a `maxTokens` below 1000 or a `keepLast` below 0.
 */
export async function compact<M extends object>(
  messages: readonly M[],
  options: CompactOptions,
): Promise<Compacted<M>> {
  const { maxTokens, keepLast = 10, counter = tiktokenCounter() } = options
  if (!Array.isArray(messages) || messages.some((one) => typeof one !== 'object' || one === null))
    throw new TypeError('expected a list of messages, each an object')
  if (typeof maxTokens !== 'number' || !(maxTokens >= 1000))
    throw new RangeError(`expected maxTokens of at least 1000, got ${maxTokens}`)
  if (!Number.isSafeInteger(keepLast) || keepLast < 0)
    throw new RangeError(`expected keepLast to be a whole number from 0 on, got ${keepLast}`)
  const sizeOf = messageCounter(counter)
  const sizes = sizeOf(messages)
  const first = sum(sizes) <= maxTokens ? 0 : firstKept(messages, sizes, options)
  if (first === 0) return { messages: [...messages], tokens: sum(sizes), replaced: 0 }
  const isSystem = (message: M) => shapeOf(message).isSystem
  const system = messages.slice(0, first).filter(isSystem)
  const cut = messages.slice(0, first).filter((message) => !isSystem(message))
  const kept = messages.slice(first)
  const store = options.store ?? rememberedBy(cut) ?? bundleStore(memoryStorage())
  const bundle = await bundleOf(await withEarlier(cut, store), { ...options, store })
  const others = sum(sizeOf([...system, ...kept]))
  const longest = Math.max(2000, sum(sizes.slice(0, first)) / 10)
  const room = Math.floor(Math.max(minBrief, Math.min(maxTokens - others, longest)))
  const text = await renderBrief(bundle, { maxTokens: room, counter, running: true, signal: options.signal })
  const brief = userMessage(text, messages) as M
  remembered.set(brief, store)
  return {
    messages: [...system, brief, ...kept],
    tokens: others + counter.count(text),
    replaced: cut.length,
    bundle,
  }
}

/** Stores of compactions without `store`, by the message with the brief. */
const remembered = new WeakMap<object, BundleStore>()

function rememberedBy(messages: readonly object[]): BundleStore | undefined {
  return messages.map((message) => remembered.get(message)).find((store) => store !== undefined)
}

/** Puts back the messages that an earlier brief replaced, as far as the store still has them. */
async function withEarlier(messages: readonly object[], store: BundleStore): Promise<readonly object[]> {
  for (const [index, message] of messages.entries()) {
    const id = briefOf(message)
    if (id === undefined) continue
    try {
      const { source } = await store.load(id)
      const earlier = await archivedMessages(store, source.sha256)
      return [...messages.slice(0, index), ...earlier, ...messages.slice(index + 1)]
    } catch (error) {
      // If they are gone, the text of the earlier brief is compressed instead.
      if (!TenfoldError.isInstance(error)) throw error
    }
  }
  return messages
}

async function archivedMessages(store: BundleStore, sha256: string): Promise<readonly object[]> {
  const blocks: Uint8Array[] = []
  for await (const file of store.readArchive(sha256))
    for await (const block of file.blocks()) blocks.push(block)
  const messages: unknown = JSON.parse(Buffer.concat(blocks).toString())
  return Array.isArray(messages) ? messages : []
}

/** Index of the first message that stays; 0 if nothing can be replaced. */
function firstKept(
  messages: readonly object[],
  sizes: readonly number[],
  { maxTokens, keepLast = 10 }: Pick<CompactOptions, 'maxTokens' | 'keepLast'>,
): number {
  const systemTokens = sum(sizes.filter((_, index) => shapeOf(messages[index]).isSystem))
  const isRest = (place: number) => sum(sizes.slice(place)) <= maxTokens - systemTokens - minBrief
  const places = cutPlaces(messages).filter((place) =>
    messages.slice(0, place).some((one) => !shapeOf(one).isSystem),
  )
  const wanted = places.filter((place) => place <= messages.length - keepLast).at(-1) ?? 0
  return places.filter((place) => place >= wanted).find(isRest) ?? places.at(-1) ?? 0
}

async function bundleOf(
  cut: readonly object[],
  { store, track, counter, redactors, signal, summarizer = extractiveSummarizer() }: Stored,
): Promise<ContextBundle> {
  const request = { summarizer, kind: 'progress', track, counter, redactors, signal } as const
  const made = await compressOnce({ parsed: cut }, { ...request, store })
  if (!('known' in made)) return made.bundle
  // The bundle was not stored, because there was nothing to remember.
  if (made.known.stored === false) return (await compressLog({ parsed: cut }, request)).bundle
  return await store.load(made.known.id)
}

type Stored = CompactOptions & { readonly store: BundleStore }
