import { TenfoldError } from '@tenfold/core'
import { cleanLine, pausing, type Steps } from '@tenfold/core/internal'
import type { PageData } from './browser/page-data.ts'
import { escapeText, htmlPage, policyOf } from './html-page.ts'
import { pageScript, pageStyle } from './page-assets.ts'

/**
 * Renders prepared page data as one HTML file. Throws TenfoldError `too-large` if the file would exceed the maximum
 * length of a string.
 */
export async function renderPageData(data: PageData, signal?: AbortSignal): Promise<string> {
  try {
    return pageOf(data, await pausing(embeddedJson(data), signal))
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new TenfoldError(
      'too-large',
      `A page of ${data.events.length} events is too large to be one file: ${cause.message}.`,
      { cause },
    )
  }
}

function pageOf(data: PageData, json: string): string {
  const title = cleanLine(data.session.title ?? data.session.id)
  return htmlPage({
    title: `${title} · Tenfold`,
    style: pageStyle(),
    script: pageScript(),
    policy: contentPolicy(data.revision !== undefined),
    body: `${pageShell(escapeText(title))}
<script type="application/json" id="data">${json}</script>`,
  })
}

/** The content security policy of the page of a session. A page that is served may listen to its server. */
export function contentPolicy(served: boolean): string {
  return policyOf({ script: pageScript(), style: pageStyle() }, served)
}

/** JSON that no parser of HTML or script can mistake for anything else. */
function* embeddedJson({ events, bundle, ...rest }: PageData): Steps<string> {
  const { trail, ...about } = bundle ?? {}
  const head = bundle && `"bundle":${safeJson(about).slice(0, -1)},"trail":${yield* listJson(trail ?? [])}},`
  return `${safeJson(rest).slice(0, -1)},${head ?? ''}"events":${yield* listJson(events)}}`
}

function* listJson(values: readonly unknown[]): Steps<string> {
  let json = ''
  for (const value of values) {
    yield
    json += `${json === '' ? '' : ','}${safeJson(value)}`
  }
  return `[${json}]`
}

function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// The markup of the page, without any text of a log but its title: the script adds the rest.

const close = (label: string): string => `<button type="button" class="dismiss quiet">${label}</button>`

/** Everything inside `<body>` except the data and the script, below a title that is HTML. */
const pageShell = (title: string): string => `
<noscript><p>Allow this page to run its own script to read the session: it loads nothing.</p></noscript>
<header class="top">
  <div class="heading-line">
    <h1 id="title">${title}</h1>
    <span id="live" class="live" role="status" hidden></span>
    <button type="button" id="notes-button" class="quiet warn" hidden></button>
    <button type="button" id="outline-button" class="quiet" aria-controls="outline" title="Turns (o)">Turns</button>
    <button type="button" id="bundle-button" class="quiet" aria-controls="bundle" title="Bundle (b)">Bundle</button>
    <button type="button" id="theme" class="quiet round">◐</button>
    <button type="button" id="help-button" class="quiet round" title="Keys (?)" aria-label="Keys">?</button>
  </div>
  <p id="about" class="about"></p>
  <dl id="stats" class="stats" tabindex="0"></dl>
</header>
<nav id="outline" class="outline" aria-label="Turns"><ol id="turns"></ol></nav>
<main class="middle" aria-label="Session">
  <div class="toolbar" role="search" aria-label="Search and filters">
    <input id="search" type="search" aria-label="Search" placeholder="Search (/)" autocomplete="off" spellcheck="false">
    <div id="groups" class="groups" role="group" aria-label="Kinds of events"></div>
    <button type="button" id="failed" class="toggle bad" aria-pressed="false">Failed</button>
    <button type="button" id="kept" class="toggle kept" aria-pressed="false" hidden>Kept</button>
    <select id="agents" aria-label="Agent" hidden></select>
    <span id="status" class="status" role="status"></span>
    <button type="button" id="clear" class="quiet" hidden>Clear</button>
  </div>
  <div id="timeline" class="timeline" role="group" tabindex="0" aria-label="Timeline">
    <div id="rows"></div>
    <p id="nothing" class="empty" hidden>Nothing matches. Press Escape to show everything again.</p>
  </div>
</main>
<aside id="bundle" class="bundle" aria-label="What the bundle kept"><div id="bundle-body"></div></aside>
<dialog id="help" aria-label="Keys"><h2>Keys</h2><dl id="keys" class="keys"></dl>${close('Close')}</dialog>
<dialog id="notes" aria-label="Notes of the reader"><h2>Notes of the reader</h2><ul id="notes-list"></ul>${close('Close')}</dialog>
`
