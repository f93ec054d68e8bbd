import * as json from '../../session/json.ts'
import { percentDecoded } from '../../session/percent-decoded.ts'

/** The path in a URI of VS Code, as text or as an object with `fsPath`; `undefined` if it is not local. */
export function pathOfUri(value: unknown): string | undefined {
  const uri = json.object(value)
  const path = json.text(uri?.fsPath) ?? json.text(uri?.path)
  if (path !== undefined) return path
  const text = json.text(value) ?? json.text(uri?.external)
  if (text === undefined) return undefined
  if (text.startsWith('/')) return text
  return URL.canParse(text) ? pathOfUrl(new URL(text)) : undefined
}

function pathOfUrl({ protocol, host, pathname }: URL): string | undefined {
  const path = percentDecoded(pathname)
  // A folder inside of Linux on Windows.
  if (protocol === 'file:' && (host === 'wsl.localhost' || host === 'wsl$'))
    return path?.replace(/^\/[^/]+(?=\/)/, '')
  // `/c:/src/shop` on Windows.
  if (protocol === 'file:' && host === '') return path?.replace(/^\/(?=[A-Za-z]:)/, '')
  return protocol === 'vscode-remote:' ? path : undefined
}
