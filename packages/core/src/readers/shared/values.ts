import * as json from '../../session/json.ts'
import { percentDecoded } from '../../session/percent-decoded.ts'

/** Sorts items by a text; equal ones keep their order. */
export function sortedBy<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => [textOf(item), item] as const)
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([, item]) => item)
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

type ContentParts = Readonly<{ texts: readonly string[]; images: number; others: readonly unknown[] }>

const pictures =
  /^(?:image|image_url|imageUrl|input_image|image-data|image-url|image-file-id|document|file|input_file|file-data|file-url|file-id|media|computer_screenshot|input_audio)$/

export function contentParts(content: unknown): ContentParts {
  const list = Array.isArray(content) ? content : [content ?? []].flat()
  const texts: string[] = []
  const others: unknown[] = []
  let images = 0
  for (const item of list) {
    const part = json.object(item)
    const text = textOf(part)
    if (typeof item === 'string') texts.push(item)
    else if (text !== undefined) texts.push(text)
    else if (pictures.test(json.text(part?.type) ?? '')) images++
    else others.push(item)
  }
  return { texts, images, others }
}

function textOf(part: ReturnType<typeof json.object>): string | undefined {
  if (typeof part?.text === 'string') return part.text
  if (typeof part?.refusal === 'string') return part.refusal
  if (part?.type === 'tool_reference') return `tool: ${json.text(part.tool_name) ?? ''}`
  // A text document is part of the prompt's text.
  const source = json.object(part?.source)
  return part?.type === 'document' && source?.type === 'text' ? json.text(source.data) : undefined
}

export function outputText(content: unknown): { readonly text: string; readonly images: number } {
  const parts = contentParts(content)
  const more = parts.others.map((other) => (other === null ? '' : JSON.stringify(other)))
  return { text: [...parts.texts, ...more].join('\n'), images: parts.images }
}

/** Parses lines of `key: value`. A line without a key continues the value before it, or is a text. */
export function keyedLines(lines: readonly string[], start: RegExp): Readonly<Record<string, string>> {
  const pairs: [key: string, value: string][] = []
  for (const line of lines) {
    const [, key, value = ''] = start.exec(line) ?? []
    const last = pairs.at(-1)
    if (key !== undefined) pairs.push([key, value])
    else if (last !== undefined) last[1] += `\n${line}`
    else if (line.trim() !== '') pairs.push(['text', line])
  }
  return Object.fromEntries(pairs)
}

/** Returns a title as text; some agents keep the answer of a model, such as `{"title": "Round carts"}`. */
export function titleText(value: unknown): string | undefined {
  const text = json.text(value)
  const { response, title = response } = text?.startsWith('{') ? json.fields(json.parse(text)) : {}
  return json.text(title) ?? text
}

export function numberIn(text: string, expression: RegExp): number | undefined {
  const digits = expression.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const earliestMillis = Date.UTC(1990, 0)
const latestMillis = Date.UTC(2200, 0)

/** Returns milliseconds since 1970 as ISO 8601 in UTC; `undefined` unless between 1990 and 2200. */
export function timeOfMillis(value: unknown): string | undefined {
  const millis = json.number(value)
  if (millis === undefined || millis < earliestMillis || millis >= latestMillis) return undefined
  return new Date(millis).toISOString()
}

/** Returns the time of a message under any key in use: a date, or seconds or milliseconds since 1970. */
export function messageTime(message: json.Fields): string | undefined {
  const { timestamp, created_at, createdAt, created } = message
  const times = [timestamp, created_at, createdAt, created]
  return times.map((value) => json.text(value) ?? timeOfEpoch(value)).find((time) => time !== undefined)
}

/** The same for a time in seconds or milliseconds: no log is from 1973. */
export function timeOfEpoch(value: unknown): string | undefined {
  const number = json.number(value) ?? 0
  return timeOfMillis(number < 1e11 ? number * 1000 : number)
}

/** Returns the path in a URI of VS Code, as text or as an object with `fsPath`; `undefined` if it is not local. */
export function pathOfUri(value: unknown): string | undefined {
  const uri = json.object(value)
  const path = json.text(uri?.fsPath) ?? json.text(uri?.path)
  if (path !== undefined) return path
  const text = json.text(value) ?? json.text(uri?.external)
  if (text === undefined) return undefined
  if (text.startsWith('/')) return text
  return URL.canParse(text) ? pathOfUrl(new URL(text)) : undefined
}

function pathOfUrl({ protocol, host, pathname }: URL): string | undefined {
  const path = percentDecoded(pathname)
  // A folder inside Linux on Windows.
  if (protocol === 'file:' && (host === 'wsl.localhost' || host === 'wsl$'))
    return path?.replace(/^\/[^/]+(?=\/)/, '')
  // `/c:/src/shop` on Windows.
  if (protocol === 'file:' && host === '') return path?.replace(/^\/(?=[A-Za-z]:)/, '')
  return protocol === 'vscode-remote:' ? path : undefined
}
