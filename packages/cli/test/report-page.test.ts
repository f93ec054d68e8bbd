import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type ReportRow, report } from '@tenfold/measure'
import { reportToHtml } from '@tenfold/measure/html'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { closePages, findChromium, launchChromium, type WatchedPage, watchPage } from './support/browser.ts'

// The report in a real browser. Skipped without Chromium: install it, or name it in CHROME_PATH.

const chromium = findChromium()
const at = testFolder('all')
const path = at('report.html')
const url = pathToFileURL(path).href
let browser: Browser

const hostile =
  '</title></script><script>window.hit = 1</script><img src=http://127.0.0.1:9/x onerror="window.hit = 2">'

function row(at: number, change: Partial<ReportRow> = {}): ReportRow {
  const sourceTokens = 50 * 4 ** (at % 9)
  const bundleTokens = Math.round(sourceTokens * (sourceTokens < 4000 ? 0.4 : 0.09))
  return {
    log: `logs/${at}.jsonl`,
    bundle: `20260101T000000${100 + at}Z-000000000`,
    sessionId: `session-${at}`,
    title: `Session number ${at}`,
    page: `sessions/${at}.html`,
    format: ['claude-code', 'codex', 'pi'][at % 3] ?? '',
    agent: 'claude-code 2.1.0',
    model: 'claude-opus-5-5',
    kind: 'context',
    project: `project-${at % 4}`,
    track: 'main',
    summarizer: 'anthropic claude-opus-5-5',
    endedAt: `2026-01-${10 + (at % 9)}T10:00:00.000Z`,
    ...{ sourceTokens, bundleTokens, ratio: bundleTokens / sourceTokens },
    band: sourceTokens < 4000 ? 'small' : 'within',
    cost: { amount: 0.01 * at, currency: 'USD' },
    unverified: 0,
    measuredFrom: 'archive',
    retention: { share: 0.9, by: { errors: { kept: 3, of: 4, missed: ['TypeError'] } } },
    precision: { by: { files: { kept: 2, of: 2, missed: [] } } },
    faithfulness: { kept: 50, of: 50, missed: [] },
    ...change,
  }
}

const texts = {
  log: hostile,
  title: hostile,
  format: hostile,
  model: hostile,
  project: hostile,
  agent: hostile,
}
const rows = [
  ...Array.from({ length: 40 }, (_, at) => row(at)),
  row(40, {
    ...texts,
    cost: { amount: 0.005, currency: 'USD' },
    page: 'javascript:window.hit=3',
    summarizer: hostile,
    fallback: hostile,
  }),
]
const failures = [{ log: hostile, code: 'log-unreadable', message: hostile }]

beforeAll(async () => {
  if (chromium === undefined) return
  writeFileSync(path, reportToHtml(report(rows, { failures, limits: { maxRatio: 0.08 } })))
  browser = await launchChromium(chromium)
})
afterEach(closePages)
afterAll(async () => {
  await browser?.close()
})

async function open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await watchPage(browser, (asked) => asked.split('#')[0] === url, options)
  await watched.page.goto(url)
  await watched.page.locator('html[data-ready]').waitFor()
  return watched
}

describe.skipIf(chromium === undefined)('the page of a report', () => {
  it('draws its plots, runs nothing of a hostile log, and loads nothing', async () => {
    const { page, requests, events } = await open()
    const titles = await page.locator('figure:has(svg) figcaption strong').allTextContents()
    expect(titles).toEqual([
      'Ratio against the band',
      'Tokens before and after',
      'What the bundles name',
      'What the logs have',
      'Cost over time',
    ])
    expect(await page.locator('figure').first().locator('svg circle').count()).toBe(rows.length)
    expect(await page.evaluate('[window.hit, document.querySelectorAll("img, iframe").length]')).toEqual([
      undefined,
      0,
    ])
    expect(
      await page.evaluate(
        `[...document.links].filter(({ href }) => href.baseVal?.startsWith('javascript') || String(href).startsWith('javascript')).length`,
      ),
    ).toBe(0)
    expect(await page.locator('.failures').textContent()).toContain('<script>window.hit = 1</script>')
    expect({ requests, events }).toEqual({ requests: [], events: [] })
  })

  it('sorts and filters the table, whose rows open the pages of sessions', async () => {
    const { page } = await open()
    const first = page.locator('#bundles tbody tr:visible').first()
    await page.getByRole('button', { name: 'cost' }).click()
    expect(await first.textContent()).toContain('Session number 39')
    await page.getByRole('button', { name: 'cost' }).click()
    expect(await first.textContent()).toContain('Session number 0')
    expect(await page.locator('th[aria-sort]').textContent()).toBe('cost')
    await page.locator('#search').fill('logs/7.jsonl session')
    await page.getByLabel('Format', { exact: true }).selectOption('codex')
    expect(await page.locator('#status').textContent()).toBe('1 of 41')
    expect(await first.getByRole('link').getAttribute('href')).toBe('sessions/7.html')
  })

  it('fits a narrow window, and changes its colours in the dark and in print', async () => {
    const { page } = await open({ viewport: { width: 380, height: 800 }, colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    const dark = await ground()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await ground()).not.toBe(dark)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await ground()).toBe('rgb(255, 255, 255)')
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(30, 32, 36)')
    expect(await page.locator('.filters').isVisible()).toBe(false)
  })
})
