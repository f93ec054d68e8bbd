// What the reader chose, if the browser allows pages to store something: it blocks storage for some files.

/** A stored choice. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(`tenfold-${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a choice; without storage it lasts as long as the page. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`tenfold-${name}`, value)
  } catch {
    // As above.
  }
}
