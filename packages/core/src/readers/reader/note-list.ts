import type { Note } from '../../session/note.ts'

const keptSingly = 20

/** Collects notes: the first 20 of a code separately, all further ones as one note with their count. */
export function createNoteList() {
  const codes = new Map<string, { readonly notes: Note[]; further: number; first?: Note }>()
  return {
    add(note: Note): void {
      const seen = codes.get(note.code) ?? { notes: [], further: 0 }
      codes.set(note.code, seen)
      if (seen.notes.length < keptSingly) seen.notes.push(note)
      else {
        seen.first ??= note
        seen.further += note.count ?? 1
      }
    },
    list: (): Note[] =>
      [...codes.values()].flatMap(({ notes, further: count, first }) => {
        if (first === undefined) return notes
        const message = `and ${count} more of this kind, the first of them: ${first.message}`
        return [...notes, first.count === count ? first : { ...first, message, count }]
      }),
  }
}
