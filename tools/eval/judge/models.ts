import type { Summarizer } from '@tenfold/core'
import { anthropicModel, anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { ollamaModel, ollamaSummarizer } from '@tenfold/summarizers/ollama'
import { openaiModel, openaiSummarizer } from '@tenfold/summarizers/openai'
import type { NamedModel } from './run-judge.ts'

const vendors = ['anthropic', 'openai', 'ollama'] as const

/** The model that `VENDOR:MODEL` names; keys and servers come from the usual variables. Throws TypeError. */
export function namedModel(name: string): NamedModel {
  const { vendor, model } = parsed(name)
  if (vendor === 'anthropic') return { name, call: anthropicModel({ model }) }
  if (vendor === 'openai') return { name, call: openaiModel({ model }) }
  return { name, call: ollamaModel({ model }) }
}

/** The summarizer that `VENDOR:MODEL` or `extractive` names. Throws TypeError. */
export function namedSummarizer(name: string): Summarizer {
  if (name === 'extractive') return extractiveSummarizer()
  const { vendor, model } = parsed(name)
  if (vendor === 'anthropic') return anthropicSummarizer({ model })
  if (vendor === 'openai') return openaiSummarizer({ model })
  return ollamaSummarizer({ model })
}

function parsed(name: string): { vendor: (typeof vendors)[number]; model: string } {
  const vendor = vendors.find((known) => name.startsWith(`${known}:`))
  const model = name.slice(name.indexOf(':') + 1)
  if (vendor === undefined || model === '')
    throw new TypeError(`expected VENDOR:MODEL with ${vendors.join(', ')} as the vendor, got ${name}`)
  return { vendor, model }
}
