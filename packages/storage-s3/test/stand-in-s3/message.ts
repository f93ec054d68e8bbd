/** A request as the stand-in sees it: `path` and `query` as sent, header names in lower case. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** An answer of the stand-in. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** An error of S3, in its XML. */
export function errorReply(
  status: number,
  code: string,
  message: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const all = { Code: code, Message: message, ...fields, RequestId: 'stand-in' }
  const inner = Object.entries(all).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
  return xmlReply(status, `<Error>${inner.join('')}</Error>`, headers)
}

export function xmlReply(status: number, xml: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`)
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body }
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
