import { shortLine } from '../session/short-line.ts'
import type { ContextBundle } from './schema.ts'

// The sorts of items that a list of a bundle has, and the shorter forms of items that do not all fit.

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Decision = ContextBundle['decisions'][number]

// Scratch folders of Linux, macOS and Windows: their content is gone by the next session.
export const isScratch = ({ path }: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(path)
export const isTouched = ({ status }: File) => status !== 'read' && status !== 'named'
export const withoutReason = ({ reason, sections, defines, ...file }: File) => file
export const ofUser = ({ by }: Decision) => by === 'user'
export const ofAgent = ({ by }: Decision) => by === 'agent'
export const isOpen = (error: BundleError) => error.resolution === undefined
export const shortError = (error: BundleError) => ({
  ...error,
  message: shortLine(error.message, isOpen(error) ? 110 : 90),
})
// What was chosen stays whole before when and why: the events say that too.
export const shortDecision = ({ topic, choice, rationale, at: _, ...decision }: Decision) => ({
  ...decision,
  ...(topic === undefined ? {} : { topic: shortLine(topic, 100) }),
  choice: shortLine(choice, 200),
  ...(rationale === undefined || choice.length + rationale.length > 240 ? {} : { rationale }),
  alternatives: [],
})
