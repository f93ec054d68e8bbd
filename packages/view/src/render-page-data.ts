import { TenfoldError } from '@tenfold/core'
import { cleanLine, pausing, type Steps } from '@tenfold/core/internal'
import type { PageData } from './browser/page-data.ts'
import { escapeText, htmlPage, policyOf } from './html-page.ts'
import { pageScript, pageStyle } from './page-assets.ts'
import { pageShell } from './page-shell.ts'

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
  const parts: string[] = []
  for (const value of values) {
    yield
    parts.push(safeJson(value))
  }
  return `[${parts.join(',')}]`
}

function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
