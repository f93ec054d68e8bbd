import type { EventDraft } from '../../session/event.ts'
import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'

/** A tool, or a change of a file, in the parts of an answer. */
export interface Invocation {
  readonly type: 'invocation'
  readonly part: JsonObject
}

/** The texts and tools in the parts of an answer, in order. Parts of a text come one by one, with references between. */
export function responseTexts(
  response: readonly JsonObject[],
  model: string | undefined,
): readonly (Extract<EventDraft, { type: 'assistant' | 'reasoning' }> | Invocation)[] {
  const found: (Extract<EventDraft, { type: 'assistant' | 'reasoning' }> | Invocation)[] = []
  let text = ''
  let thought = ''
  const flush = (): void => {
    if (thought.trim() !== '') found.push({ type: 'reasoning', text: thought })
    if (text.trim() !== '') found.push({ type: 'assistant', text, ...known({ model }) })
    text = ''
    thought = ''
  }
  for (const part of response) {
    const { kind } = part
    if (kind === undefined || kind === 'markdownContent') text += markdownOf(part)
    else if (kind === 'inlineReference') text += `\`${referenceOf(part)}\``
    else if (kind === 'thinking') {
      if (text !== '') flush()
      thought += Array.isArray(part.value) ? part.value.map(textOf).join('') : textOf(part.value)
    } else if (kind === 'toolInvocationSerialized' || kind === 'textEditGroup') {
      flush()
      found.push({ type: 'invocation', part })
    }
  }
  flush()
  return found
}

export function isInvocation(part: { readonly type: string }): part is Invocation {
  return part.type === 'invocation'
}

function markdownOf({ value, content }: JsonObject): string {
  return asText(value) ?? asText(asObject(value)?.value) ?? asText(asObject(content)?.value) ?? ''
}

/** The name or path of a file or symbol within a text. */
function referenceOf({ name, inlineReference }: JsonObject): string {
  const reference = asObject(inlineReference)
  const place = asObject(reference?.location)?.uri ?? reference?.uri ?? inlineReference
  return asText(name) ?? asText(reference?.name) ?? pathOfUri(place) ?? ''
}
