import { exactTriggers, type Trigger } from './scan.ts'
import { isEdge } from './token-shape.ts'
import { isRepetitive } from './value-shape.ts'

/** Azure signs its keys: https://learn.microsoft.com/purview/sit-defn-azure-storage-account-key */
const azureSignatures = ['+ASt', '+ABa', '+AMC', '+AEh', '+ARm', '+ASb', '+AIoT', '+ACR', '+ACD']

/** Type, mark, characters that may come before it with their number, and the text from the mark on. */
type MiddleMark = readonly [type: string, literal: string, before: RegExp, after: RegExp]

const middleMarks: readonly MiddleMark[] = [
  ['terraform-token', '.atlasv1.', /[A-Za-z0-9]{14}$/, /\.atlasv1\.[\w=-]{60,80}/y],
  ['api-token', '.acc_', /[\w.]{10,48}$/, /\.acc_[a-z0-9-]{10,32}\.[\w+/=-]{30,120}/y],
  ['api-token', '.acc-', /[\w.]{10,48}$/, /\.acc-[a-z0-9-]{10,32}\.[\w+/=-]{30,120}/y],
  ['api-token', '_mmk', /\w{36}$/, /_mmk(?![\w-])/y],
  ['telegram-token', ':AA', /\d{8,12}$/, /:AA[\w-]{32,34}(?![\w-])/y],
  ['new-relic-key', 'NRAL', /[A-Za-z0-9]{36,40}$/, /NRAL(?![\w-])/y],
  ['api-token', '-us', /[A-Za-z0-9]{32}$/, /-us\d{1,2}(?![\w-])/y],
  ['openai-key', 'T3BlbkFJ', /[\w-]{20,100}$/, /T3BlbkFJ[\w-]{20,100}/y],
  ['dropbox-token', 'AAAAAAAAAA', /[A-Za-z0-9]{11}$/, /A{10}[\w=-]{43}(?![\w=-])/y],
  ['azure-key', 'JQQJ9', /[A-Za-z0-9]{52}$/, /JQQJ9[A-Za-z0-9]{20,30}(?![\w+/=-])/y],
  ['azure-key', 'AZDO', /[A-Za-z0-9]{76}$/, /AZDO[A-Za-z0-9]{4}(?![\w+/=-])/y],
  ['azure-key', 'AzSe', /[A-Za-z0-9]{42}$/, /AzSe[A-D][A-Za-z0-9]{5}(?![\w+/=-])/y],
  ['azure-key', 'AzFu', /[\w-]{44}$/, /AzFu[\w-]{5}[AQgw]==/y],
  ['azure-key', 'AzCa', /[A-Za-z0-9]{33}$/, /AzCa[A-Za-z0-9]{6}[AQgw]=/y],
  ...azureSignatures.map(
    (literal): MiddleMark => [
      'azure-key',
      literal,
      /[A-Za-z0-9+/]{32,80}$/,
      /\+A[A-Za-z0-9+/]{5,12}={1,2}(?![\w+/=-])/y,
    ],
  ),
  ...Array.from(
    '0123456789',
    (digit): MiddleMark => ['azure-key', `${digit}Q~`, /[\w~.-]{3}$/, /\dQ~[\w~.-]{31,34}(?![\w~-])/y],
  ),
]

/** Tokens that start with anything and carry their vendor's mark later. */
export const middleMarkTriggers: readonly Trigger[] = middleMarks.flatMap(([type, literal, before, after]) =>
  exactTriggers([literal], (scan, at) => {
    const { text } = scan
    if (at < scan.tokensReadTo) return
    after.lastIndex = at
    if (!after.test(text)) return
    const end = after.lastIndex
    scan.tokensReadTo = end
    const head = before.exec(text.slice(Math.max(0, at - longestHead), at))
    if (head === null) return
    const start = at - head[0].length
    // Where the number of characters may vary, or is small, others may be before them.
    if (!/,|\{3\}/.test(before.source) && !isEdge(text, start)) return
    if (!isRepetitive(text.slice(start, end).replace(/A{8,}/, ''))) scan.report(start, end, type)
  }),
)

/** The longest text before a mark. */
const longestHead = 100
