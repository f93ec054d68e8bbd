import type { SessionEvent } from '../../src/session/event.ts'

export type { SessionEvent } from '../../src/session/event.ts'
export type { Session } from '../../src/session/session.ts'
export type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

/** The sum of all parts of a line account. */
export function accounted(account: import('../../src/session/session.ts').LineAccount): number {
  const absorbed = account.absorbed.reduce((sum, [, lines]) => sum + lines, 0)
  return account.events + account.other + account.notes + account.blank + absorbed
}
