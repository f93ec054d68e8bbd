import type { Refusal } from '../provider/call-error.ts'

/** The name of the output limit. OpenAI's reasoning models know only the second, other servers often only the first. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens'

// "Unsupported parameter: 'max_tokens' is not supported with this model", "Extra inputs are not permitted",
// "property 'max_completion_tokens' is unsupported", "Unrecognized request argument supplied".
const unknown =
  /unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|invalid (?:parameter|argument|field)|deprecated|\bextra\b|\binstead\b/i
// The name is right, the number is not.
const aboutValue = /unsupported_value|too (?:large|high|big)|at most|maximum|exceed|less than|greater than/i

/** The other name of the output limit if a server refused this one as such; undefined if the error is another. */
export function maxTokensAfter(
  asked: MaxTokensField,
  { status, param, code = '', message }: Refusal,
): MaxTokensField | undefined {
  if (status !== 400 && status !== 422) return undefined
  if (!new RegExp(`\\b${asked}\\b`).test(`${String(param ?? '')} ${message}`)) return undefined
  const said = `${code} ${message}`
  if (aboutValue.test(said) || !unknown.test(said)) return undefined
  return asked === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
}
