import type { Reader } from './reader.ts'

const framings = ['lines', 'document', 'text', 'rows']

/**
 * Checks a reader of your own for mistakes that plain JavaScript allows, and returns it. Pass it to `readSession` or
 * `compressLog` with `readers: [mine, ...defaultReaders]`. Throws `TypeError` if a field is missing or of the wrong
 * type.
 */
export function defineReader(reader: Reader): Reader {
  const { name, framing, detect, read } = reader
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
    throw new TypeError(
      `a reader needs a name in kebab-case, such as "my-agent"; got ${JSON.stringify(name)}`,
    )
  if (typeof detect !== 'function') throw new TypeError(`reader ${name} needs a function detect(head)`)
  if (typeof read !== 'function') throw new TypeError(`reader ${name} needs a function read(records, out)`)
  if (framing !== undefined && typeof framing !== 'function' && !framings.includes(framing))
    throw new TypeError(`reader ${name} has the framing "${framing}"; expected one of ${framings.join(', ')}`)
  return reader
}
