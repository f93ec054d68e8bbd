// An escape sequence of a terminal as in Node's `stripVTControlCharacters`, which browsers do not have: a title or link
// up to its end, or a colour, movement or mode. https://github.com/chalk/ansi-regex
const sequence =
  /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))/g

/** Removes the escape sequences of terminals. */
export function stripEscapes(text: string): string {
  return text.replace(sequence, '')
}
