import { createHash } from 'node:crypto'

/** The first line of each page. A later run recognises by it that it may overwrite the file. */
export const pageMark = '<!doctype html><!-- tenfold view -->'

interface PageParts {
  readonly title: string
  readonly style: string
  readonly script: string
  readonly body: string
  readonly policy: string
}

export function htmlPage({ title, style, script, body, policy }: PageParts): string {
  return `${pageMark}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>${body}
<script type="module">${script}</script>
</body>
</html>
`
}

/**
 * A content security policy: a script and a style by their digests, nothing from elsewhere, and no way to turn text into
 * HTML (trusted types). A page that is served may also listen to its server.
 */
export function policyOf({ script, style }: Pick<PageParts, 'script' | 'style'>, served = false): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(script)}'`,
    `style-src '${digestOf(style)}'`,
    'img-src data:',
    ...(served ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

const drawing =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#3257c9'/><path d='M4 5h8M4 8h5M4 11h2' stroke='white' stroke-width='1.6' stroke-linecap='round'/></svg>"
const icon = `data:image/svg+xml,${encodeURIComponent(drawing).replaceAll("'", '%27')}`

/** Text that means itself in HTML, in an element and in a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
