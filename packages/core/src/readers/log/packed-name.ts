const packing = /\.(?:gz|zst)$/i

/** The name or path of a file without the ending of packed files. */
export function unpackedName(name: string): string {
  return name.replace(packing, '')
}

/** The ending of a packed file, such as `.gz`; empty if it is not packed. */
export function packingOf(name: string): string {
  return packing.exec(name)?.[0] ?? ''
}
