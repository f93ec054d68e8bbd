import { createHash } from 'node:crypto'
import { cleanLine, TenfoldError } from '@tenfold/core'
import type { PageData } from './browser/page-data.ts'
import { pageScript } from './page-script.ts'
import { pageShell } from './page-shell.ts'
import { pageStyle } from './page-style.ts'

/** The first line of each page. A later run recognises by it that it may overwrite the file. */
export const pageMark = '<!doctype html><!-- tenfold view -->'

/**
 * Renders prepared page data as one HTML file. Throws TenfoldError `too-large` if the file would exceed the maximum
 * length of a string.
 */
export function renderPageData(data: PageData): string {
  try {
    return pageOf(data)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new TenfoldError(
      'too-large',
      `A page of ${data.events.length} events is too large to be one file: ${cause.message}.`,
      { cause },
    )
  }
}

function pageOf(data: PageData): string {
  const css = pageStyle()
  const script = pageScript()
  const title = escapeText(cleanLine(data.session.title ?? data.session.id))
  return `${pageMark}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(data.revision !== undefined)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title} · Tenfold</title>
<link rel="icon" href="${icon}">
<style>${css}</style>
</head>
<body>${pageShell}<script type="application/json" id="data">${embeddedJson(data)}</script>
<script type="module">${script}</script>
</body>
</html>
`
}

/**
 * The content security policy of the page: its own script and style by their digests, nothing from elsewhere, and no
 * way to turn text into HTML (trusted types). A page that is served may also listen to its server.
 */
export function contentPolicy(served: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(pageScript())}'`,
    `style-src '${digestOf(pageStyle())}'`,
    'img-src data:',
    ...(served ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** JSON that no parser of HTML or script can mistake for anything else. */
function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escapeText(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

const drawing =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#3257c9'/><path d='M4 5h8M4 8h5M4 11h2' stroke='white' stroke-width='1.6' stroke-linecap='round'/></svg>"
const icon = `data:image/svg+xml,${encodeURIComponent(drawing).replaceAll("'", '%27')}`
