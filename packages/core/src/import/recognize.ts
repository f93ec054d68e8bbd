import { bundleFromMarkdown } from '../bundle/markdown.ts'
import { parseBundle } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { type Checkpoint, parseCheckpoint } from '../checkpoint/schema.ts'
import { InvalidBundleError } from '../errors.ts'
import * as json from '../session/json.ts'
import { plainValue } from '../session/plain-value.ts'
import { type ForeignBundle, isContextBundle, readContextBundle } from './foreign-bundle.ts'
import {
  type ForeignCheckpoint,
  type ForeignPointer,
  isForeignCheckpoint,
  isForeignPointer,
  readForeignCheckpoint,
  readForeignPointer,
  readMarkdownCheckpoint,
} from './foreign-checkpoint.ts'
import { isMarkdownBundle, readMarkdownBundle } from './read-markdown-bundle.ts'

export type Recognized =
  | { readonly type: 'bundle'; readonly bundle: ForeignBundle }
  /** A bundle that Tenfold wrote, as JSON or Markdown. */
  | { readonly type: 'own-bundle'; readonly bundle: ContextBundle }
  | { readonly type: 'checkpoint'; readonly checkpoint: ForeignCheckpoint }
  | { readonly type: 'own-checkpoint'; readonly checkpoint: Checkpoint }
  /** The newest checkpoints of a folder, by track. */
  | { readonly type: 'pointer'; readonly pointer: ForeignPointer }
  /** Metadata of a halt dump, whose folder is the dump. */
  | { readonly type: 'dump' }

/**
 * Recognizes by its content a file that people keep from other tools: a context bundle, a bundle in Markdown, a
 * checkpoint, a halt dump. Undefined for anything else, such as a log. Throws {@link TenfoldError} for a damaged bundle
 * or checkpoint of Tenfold itself. `name` is the path of the file.
 */
export function recognizeFile(name: string, text: string): Recognized | undefined {
  const start = text.trimStart().slice(0, 1)
  if (start === '{') return recognizeJson(name, text)
  return /\.(?:md|markdown)$/i.test(name) ? recognizeMarkdown(name, text) : undefined
}

function recognizeJson(name: string, text: string): Recognized | undefined {
  const value = json.fields(plainValue(json.parse(text)))
  if ('schemaVersion' in value && 'trail' in value && 'compression' in value)
    return { type: 'own-bundle', bundle: parseBundle(value) }
  if (value.schemaVersion === 1 && typeof value.step === 'string' && typeof value.id === 'string') {
    // A track's entry repeats the fields of its checkpoint, and is not imported.
    const isEntry = 'sha256' in value && 'key' in value
    return isEntry ? undefined : { type: 'own-checkpoint', checkpoint: parseCheckpoint(value) }
  }
  if (typeof value.halt_id === 'string' && 'halt_reason' in value) return { type: 'dump' }
  if (isForeignPointer(value)) return { type: 'pointer', pointer: readForeignPointer(value) }
  if (isForeignCheckpoint(value))
    return { type: 'checkpoint', checkpoint: readForeignCheckpoint(value, name) }
  return isContextBundle(value) ? { type: 'bundle', bundle: readContextBundle(value) } : undefined
}

function recognizeMarkdown(name: string, text: string): Recognized | undefined {
  if (/^---\r?\ntenfold: /.test(text)) return { type: 'own-bundle', bundle: bundleFromMarkdown(text) }
  if (/(?:^|[/\\])context_checkpoint_[^/\\]*$/.test(name)) {
    const checkpoint = readMarkdownCheckpoint(text, name)
    return checkpoint && { type: 'checkpoint', checkpoint }
  }
  return isMarkdownBundle(text) ? { type: 'bundle', bundle: readMarkdownBundle(text) } : undefined
}

/** Reads a bundle that is given by hand, as JSON or Markdown of any known form. Throws {@link InvalidBundleError}. */
export function readGivenBundle(text: string): ForeignBundle {
  if (text.trimStart().startsWith('{')) {
    const value = plainValue(json.parse(text))
    if (value === undefined) throw new InvalidBundleError('not a bundle: its JSON cannot be read', [])
    return readContextBundle(value)
  }
  return readMarkdownBundle(text)
}
