import type { BundleKind, Facts, SummaryRequest, TokenCounter } from '@tenfold/core'
import type { TranscriptItem } from '@tenfold/core/summarizer'
import { emptyFacts } from '@tenfold/core/testing'

/** No encoding is loaded for requests this small. */
export const byteCounter: TokenCounter = {
  name: 'bytes/4',
  count: (text) => Math.ceil(Buffer.byteLength(text) / 4),
}

export function factsOf(facts: Partial<Facts> = {}): Facts {
  return { ...emptyFacts, ...facts }
}

/** An item of the main agent; `user` and `assistant` are types too, any other label is a tool. */
export function itemOf(
  number: number,
  label: string,
  text: string,
  item: Partial<TranscriptItem> = {},
): TranscriptItem {
  const type = label === 'user' || label === 'assistant' ? label : 'tool_call'
  return { event: `e${number}`, agent: 'main', turn: 1, type, label, text, ...item }
}

export function requestOf(
  items: readonly TranscriptItem[],
  request: Partial<Omit<SummaryRequest, 'items' | 'facts'>> & {
    facts?: Partial<Facts>
    kind?: BundleKind
  } = {},
): SummaryRequest {
  const { facts, ...rest } = request
  return { kind: 'context', maxTokens: 1000, ...rest, items, facts: factsOf(facts) }
}

/** A small session with a constraint, a decision, an edit and a failed check. */
export function workRequest(request: Parameters<typeof requestOf>[1] = {}): SummaryRequest {
  return requestOf(
    [
      itemOf(1, 'user', 'Add a retry to src/upload.ts. Never touch the public API.'),
      itemOf(2, 'assistant', 'I will add it with a growing pause.'),
      itemOf(3, 'Edit', 'src/upload.ts\n+ retry(send, file)', { status: 'ok' }),
      itemOf(5, 'Bash', 'npm test -- upload\nError: expected 3 calls, got 4', { status: 'error' }),
      itemOf(7, 'assistant', 'One test fails. Next I will run `npm test -- upload` again.', { final: true }),
    ],
    {
      ...request,
      facts: {
        files: [{ path: 'src/upload.ts', status: 'modified', evidence: ['e3'], lastEdit: 'e3', touches: 1 }],
        commands: [
          { command: 'npm test -- upload', status: 'error', call: 'e5', result: 'e6', program: 'npm test' },
        ],
        constraints: [{ text: 'Never touch the public API.', event: 'e1' }],
        constraintCandidates: [{ text: 'Never touch the public API.', event: 'e1' }],
        proposals: [{ command: 'npm test -- upload', event: 'e7' }],
        ...request.facts,
      },
    },
  )
}
