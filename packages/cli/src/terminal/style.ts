/** Wraps a text into a terminal style, or returns it unchanged if colours are off. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

/** Styles for a stream; `enabled` is called each time. */
export function styleFor(enabled: () => boolean): Style {
  const wrap =
    (open: number, close: number) =>
    (text: string): string =>
      enabled() && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) }
}

/** Whether a stream takes colours, by https://no-color.org, https://force-color.org and the kind of the stream. */
export function takesColours(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}
