import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/** Path of Chromium or Chrome: `CHROME_PATH`, or the first in `PATH`; undefined if there is none. */
export function findChromium(): string | undefined {
  const { CHROME_PATH, PATH = '' } = process.env
  if (CHROME_PATH !== undefined && CHROME_PATH !== '') return CHROME_PATH
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return places.find((path) => existsSync(path))
}

export async function launchChromium(executablePath: string): Promise<Browser> {
  // Root, the user in most containers, has no sandbox; only pages of these tests are opened.
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** A page, and everything it did beyond showing itself. */
export interface WatchedPage {
  readonly page: Page
  /** Requests for anything except the opened pages; none of them leaves the machine. */
  readonly requests: string[]
  /** Errors, dialogs, console messages and violations of the content security policy. */
  readonly events: string[]
}

/** Of pages without options of their own, one after the other: a context is a process. */
let shared: (WatchedPage & { allow: Allow }) | undefined
const contexts = new Set<BrowserContext>()

type Allow = (url: string) => boolean

/** Closes what `watchPage` opened: pages that stay open slow the others down. */
export async function closePages(): Promise<void> {
  await Promise.all([...contexts].map((context) => context.close()))
  contexts.clear()
  if (shared === undefined || shared.page.isClosed()) return
  await shared.page.emulateMedia({ media: null })
  await shared.page.goto('about:blank')
}

/** Opens pages; `allow` decides which URLs may be loaded. */
export async function watchPage(
  browser: Browser,
  allow: Allow,
  options?: BrowserContextOptions,
): Promise<WatchedPage> {
  if (options !== undefined) {
    const watched = await newPage(browser, allow, options)
    contexts.add(watched.page.context())
    return watched
  }
  // The file before may have closed its browser.
  if (shared?.page.context().browser() !== browser) shared = undefined
  shared ??= await newPage(browser, allow, {})
  shared.allow = allow
  shared.requests.length = 0
  shared.events.length = 0
  return shared
}

async function newPage(browser: Browser, allow: Allow, options: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  // Only ends what hangs: the machine may have other work.
  context.setDefaultTimeout(300_000)
  const page = await context.newPage()
  const watched = { page, allow, requests: [] as string[], events: [] as string[] }
  const { requests, events } = watched
  await context.route('**/*', async (route) => {
    const url = route.request().url()
    if (watched.allow(url)) return await route.continue()
    requests.push(url)
    await route.abort()
  })
  page.on('console', (message) => events.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => events.push(`error: ${error.message}`))
  page.on('dialog', async (dialog) => {
    events.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  await page.addInitScript(`addEventListener('securitypolicyviolation', (violation) =>
    console.error('policy: ' + violation.violatedDirective + ' ' + violation.blockedURI))`)
  return watched
}
