import { createHash } from 'node:crypto'
import { pageStyle } from './page-assets.ts'

/** A self-contained page that loads nothing. Its policy allows only its own style and the given script. */
export function htmlPage(title: string, body: string, script?: string): string {
  const style = pageStyle()
  const policy = [
    "default-src 'none'",
    `script-src ${script === undefined ? "'none'" : `'${digestOf(script)}'`}`,
    `style-src '${digestOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html><!-- tenfold report -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script type="module">${script}</script>\n`}</body>
</html>
`
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Escapes text for HTML elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** An address that a page may link to: a relative one, a file or a web page. Undefined for all others. */
export function safeAddress(address: string): string | undefined {
  const clean = address.trim()
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(clean)?.[0].toLowerCase()
  return scheme === undefined || ['http', 'https', 'file'].includes(scheme) ? clean : undefined
}
