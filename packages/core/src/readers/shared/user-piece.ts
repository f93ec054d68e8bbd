import type { ContextEvent, UserEvent } from '../../session/event.ts'

/** The user's own words, as part of the text under the user's name. */
export interface WordsPiece {
  readonly type: 'user'
  readonly origin: UserEvent['origin']
  readonly text: string
}

/** Text that a program put under the user's name. */
export interface ProgramPiece {
  readonly type: 'context'
  readonly origin: ContextEvent['origin']
  readonly name: string
  readonly text: string
}

/** A part of the text under the user's name, classified by its author. */
export type UserPiece = WordsPiece | ProgramPiece | { readonly type: 'compaction'; readonly text: string }
