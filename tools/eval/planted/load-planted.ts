import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A text that gives orders, to be planted in what a session reads. */
export interface PlantedText {
  readonly id: string
  readonly text: string
}

/**
 * Reads the texts of a folder of JSON files, sorted by name: a list of `{ id, text }`, or texts by category as the BIPIA
 * benchmark has them. Throws TypeError that names the faulty file.
 */
export async function loadPlanted(folder: string): Promise<PlantedText[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new TypeError(`no planted texts in ${folder}`)
  const texts: PlantedText[] = []
  for (const name of names) {
    const value: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'))
    texts.push(...textsOf(value, name))
  }
  return texts
}

function textsOf(value: unknown, name: string): PlantedText[] {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`${name}: expected a list of texts, or texts by category`)
  const entries = Array.isArray(value)
    ? value.map((entry): [unknown, unknown] => [
        Reflect.get(Object(entry), 'id'),
        Reflect.get(Object(entry), 'text'),
      ])
    : Object.entries(value).flatMap(([category, texts]) =>
        (Array.isArray(texts) ? texts : [texts]).map((text, at): [unknown, unknown] => [
          `${category} ${at + 1}`,
          text,
        ]),
      )
  return entries.map(([id, text]) => {
    if (typeof id !== 'string' || typeof text !== 'string')
      throw new TypeError(`${name}: expected an id and a text in each entry`)
    return { id: `${name}: ${id}`, text }
  })
}
