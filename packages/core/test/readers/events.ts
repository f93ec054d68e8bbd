import type { SessionEvent } from '../../src/session/event.ts'
import type { LineAccount, Session } from '../../src/session/session.ts'

export type { SessionEvent } from '../../src/session/event.ts'
export type { Session } from '../../src/session/session.ts'
export type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

/** The events of one type, in their order. */
export function ofType<T extends SessionEvent['type']>(session: Session, type: T): EventOf<T>[] {
  return session.events.filter((event): event is EventOf<T> => event.type === type)
}

/** The sum of all parts of a line account. */
export function accounted(account: LineAccount): number {
  const absorbed = account.absorbed.reduce((sum, [, lines]) => sum + lines, 0)
  return account.events + account.other + account.notes + account.blank + absorbed
}
