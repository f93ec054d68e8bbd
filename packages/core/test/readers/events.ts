import type { LineAccount } from '../../src/session/session.ts'

export type { Session } from '../../src/session/session.ts'

/** The sum of all parts of a line account. */
export function accounted(account: LineAccount): number {
  const absorbed = account.absorbed.reduce((sum, [, lines]) => sum + lines, 0)
  return account.events + account.other + account.notes + account.blank + absorbed
}
