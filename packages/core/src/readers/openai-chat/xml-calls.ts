/** A part of an answer: plain text, or a tool call that the model wrote as XML. */
export type XmlPart =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

const opening = /^[ \t]*<function=([\w.-]{1,80})>/gm
const closing = '</function>'

/**
 * Splits an answer at the tool calls that models without an API for tools write, in the form of SWE-smith and OpenHands:
 * `<function=bash><parameter=command>ls</parameter></function>`. A call that breaks off keeps its text so far.
 */
export function splitXmlCalls(text: string): XmlPart[] {
  const parts: XmlPart[] = []
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const inside = match.index + match[0].length
    const found = text.indexOf(closing, inside)
    const end = found === -1 ? text.length : found
    pushWords(parts, text.slice(from, match.index))
    parts.push({ kind: 'call', name: match[1] ?? '', input: parametersOf(text.slice(inside, end)) })
    from = Math.min(text.length, end + closing.length)
    opening.lastIndex = from
  }
  pushWords(parts, text.slice(from))
  return parts
}

function pushWords(parts: XmlPart[], text: string): void {
  if (text.trim() !== '') parts.push({ kind: 'words', text: text.trim() })
}

/** A value ends before the next parameter, since the content of a file may hold the end tag itself. */
function parametersOf(body: string): Record<string, string> {
  const starts = [...body.matchAll(/^[ \t]*<parameter=([\w.-]{1,80})>\n?/gm)]
  return Object.fromEntries(
    starts.map(({ 0: tag, 1: name = '', index }, number) => {
      const rest = body.slice(index + tag.length, starts[number + 1]?.index ?? body.length)
      const end = rest.lastIndexOf('</parameter>')
      return [name, (end === -1 ? rest : rest.slice(0, end)).replace(/\n$/, '')]
    }),
  )
}

const results = /^(?:OBSERVATION:|EXECUTION RESULT of \[([\w.-]{1,80})\]:)[ \t]*\n?/

/** The result of such a call, which is given under the user's name; `undefined` if the text is none. */
export function xmlResult(text: string): { readonly name?: string; readonly text: string } | undefined {
  const start = results.exec(text)
  if (start === null) return undefined
  const rest = text.slice(start[0].length)
  return start[1] === undefined ? { text: rest } : { name: start[1], text: rest }
}

export function hasXmlCalls(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && /^[ \t]*<function=[\w.-]{1,80}>/m.test(text))
}
