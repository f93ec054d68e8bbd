import type { ContextBundle } from './schema.ts'

// The sorts of items that a list of a bundle has.

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Decision = ContextBundle['decisions'][number]
type Carried = NonNullable<ContextBundle['carried']>[number]

export const isTouched = ({ status }: File) => status !== 'read' && status !== 'named'
export const ofUser = ({ by }: Decision) => by === 'user'
export const ofAgent = ({ by }: Decision) => by === 'agent'
export const isOpen = ({ resolution }: BundleError) => resolution === undefined
export const isRule = ({ as }: Carried) => as === 'constraint' || as === 'rule'
export const isStep = ({ as }: Carried) => as === 'step'
export const isChoice = ({ as }: Carried) => as === 'decision'
