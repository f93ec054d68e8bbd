import type { ContextEvent, UserEvent } from '../../session/event.ts'

/** Words of a person, as part of what stands under the user's name. */
export interface WordsPiece {
  readonly type: 'user'
  readonly origin: UserEvent['origin']
  readonly text: string
}

/** What a program put under the user's name. */
export interface ProgramPiece {
  readonly type: 'context'
  readonly origin: ContextEvent['origin']
  readonly name: string
  readonly text: string
}

/** A part of what stands under the user's name, told apart by who spoke. */
export type UserPiece = WordsPiece | ProgramPiece | { readonly type: 'compaction'; readonly text: string }
