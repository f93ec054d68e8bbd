import type { Note } from '../../session/note.ts'

const keptSingly = 20

/** Collects notes: the first 20 of a code one by one, all further ones of that code as one note with their count. */
export function createNoteList(): { add(note: Note): void; list(): Note[] } {
  const codes = new Map<string, { readonly notes: Note[]; further: number; first?: Note }>()
  return {
    add(note) {
      const seen = codes.get(note.code) ?? { notes: [], further: 0 }
      codes.set(note.code, seen)
      if (seen.notes.length < keptSingly) {
        seen.notes.push(note)
        return
      }
      seen.first ??= note
      seen.further += note.count ?? 1
    },
    list() {
      return [...codes.values()].flatMap(({ notes, further, first }) =>
        first === undefined ? notes : [...notes, furtherNote(first, further)],
      )
    },
  }
}

function furtherNote(first: Note, count: number): Note {
  if (first.count === count) return first
  return { ...first, message: `and ${count} more of this kind, the first of them: ${first.message}`, count }
}
