import type { Scan, Trigger } from './scan.ts'
import { isEdge } from './token-shape.ts'
import { isRepetitive } from './value-shape.ts'

/** A token that is recognised by its middle or its end. */
interface MiddleMark {
  readonly type: string
  readonly literal: string
  /** Characters that may come before the literal, and their minimum and maximum number. */
  readonly before: RegExp
  readonly least: number
  readonly most: number
  /** The text from the literal on. */
  readonly after: RegExp
}

const alphanumeric = /[A-Za-z0-9]/
const base64 = /[A-Za-z0-9+/]/
const urlSafe = /[\w-]/

function mark(
  type: string,
  literal: string,
  before: RegExp,
  lengths: number | readonly [number, number],
  after: RegExp,
): MiddleMark {
  const [least, most] = typeof lengths === 'number' ? [lengths, lengths] : lengths
  return { type, literal, before, least, most, after }
}

/** Azure signs its keys: https://learn.microsoft.com/purview/sit-defn-azure-storage-account-key */
const azureSignatures = ['+ASt', '+ABa', '+AMC', '+AEh', '+ARm', '+ASb', '+AIoT', '+ACR', '+ACD']

const middleMarks: readonly MiddleMark[] = [
  mark('terraform-token', '.atlasv1.', alphanumeric, 14, /\.atlasv1\.[\w=-]{60,80}/y),
  mark('api-token', '.acc_', /[\w.]/, [10, 48], /\.acc_[a-z0-9-]{10,32}\.[\w+/=-]{30,120}/y),
  mark('api-token', '.acc-', /[\w.]/, [10, 48], /\.acc-[a-z0-9-]{10,32}\.[\w+/=-]{30,120}/y),
  mark('api-token', '_mmk', /\w/, 36, /_mmk(?![\w-])/y),
  mark('telegram-token', ':AA', /\d/, [8, 12], /:AA[\w-]{32,34}(?![\w-])/y),
  mark('new-relic-key', 'NRAL', alphanumeric, [36, 40], /NRAL(?![\w-])/y),
  mark('api-token', '-us', alphanumeric, 32, /-us\d{1,2}(?![\w-])/y),
  mark('openai-key', 'T3BlbkFJ', urlSafe, [20, 100], /T3BlbkFJ[\w-]{20,100}/y),
  mark('dropbox-token', 'AAAAAAAAAA', alphanumeric, 11, /A{10}[\w=-]{43}(?![\w=-])/y),
  mark('azure-key', 'JQQJ9', alphanumeric, 52, /JQQJ9[A-Za-z0-9]{20,30}(?![\w+/=-])/y),
  mark('azure-key', 'AZDO', alphanumeric, 76, /AZDO[A-Za-z0-9]{4}(?![\w+/=-])/y),
  mark('azure-key', 'AzSe', alphanumeric, 42, /AzSe[A-D][A-Za-z0-9]{5}(?![\w+/=-])/y),
  mark('azure-key', 'AzFu', urlSafe, 44, /AzFu[\w-]{5}[AQgw]==/y),
  mark('azure-key', 'AzCa', alphanumeric, 33, /AzCa[A-Za-z0-9]{6}[AQgw]=/y),
  ...azureSignatures.map((literal) =>
    mark('azure-key', literal, base64, [32, 80], /\+A[A-Za-z0-9+/]{5,12}={1,2}(?![\w+/=-])/y),
  ),
  ...Array.from('0123456789', (digit) =>
    mark('azure-key', `${digit}Q~`, /[\w~.-]/, 3, /\dQ~[\w~.-]{31,34}(?![\w~-])/y),
  ),
]

/** Tokens that start with anything and carry their vendor's mark later. */
export const middleMarkTriggers: readonly Trigger[] = middleMarks.map((one) => ({
  literal: one.literal,
  exact: true,
  match: matchMiddle(one),
}))

function matchMiddle(mark: MiddleMark): (scan: Scan, at: number) => void {
  return (scan, at) => {
    const { text } = scan
    if (at < scan.tokensReadTo) return
    mark.after.lastIndex = at
    if (!mark.after.test(text)) return
    const end = mark.after.lastIndex
    scan.tokensReadTo = end
    let start = at
    while (at - start < mark.most && start > 0 && mark.before.test(text[start - 1]!)) start -= 1
    if (at - start < mark.least || (mark.least === mark.most && mark.least !== 3 && !isEdge(text, start)))
      return
    if (!isRepetitive(text.slice(start, end).replace(/A{8,}/, ''))) scan.report(start, end, mark.type)
  }
}
