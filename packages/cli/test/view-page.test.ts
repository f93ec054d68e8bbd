import { once } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createEventLog, serveEvents } from '@tenfold/core/replay'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { everyPoint, repeats } from '../../../test/support/repeats.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import { closePages, findChromium, launchChromium, type WatchedPage, watchPage } from './support/browser.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { hostileLog, hostileTexts } from './support/hostile-log.ts'
import { run, start } from './support/run.ts'

// The page in a real browser. Skipped without Chromium: install it, or name it in CHROME_PATH.

const chromium = findChromium()
if (chromium === undefined && process.env.TENFOLD_REQUIRE_PARTS === '1')
  it('has Chromium, as TENFOLD_REQUIRE_PARTS=1 demands', () => expect.unreachable('apt-get install chromium'))
else if (chromium === undefined)
  console.warn('view-page: no Chromium in PATH or CHROME_PATH, nothing is tested here')

const at = testFolder('all')
let browser: Browser
beforeAll(async () => {
  if (chromium === undefined) return
  writeClaudeLog(at('statements.jsonl'), { rounds: 48 })
  writeClaudeLog(at('short.jsonl'))
  browser = await launchChromium(chromium)
})
afterEach(closePages)
afterAll(async () => {
  await browser?.close()
})

const pages = new Map<string, string>()

/** Renders a log, once for all tests that ask for the same page, and opens the page. */
async function openView(args: readonly string[], options?: BrowserContextOptions): Promise<WatchedPage> {
  const asked = args.join(' ')
  const name = pages.get(asked) ?? `page-${pages.size}.html`
  if (!pages.has(asked)) {
    const ran = await run(['view', ...args, '-o', name], { cwd: at() })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    pages.set(asked, name)
  }
  const url = pathToFileURL(at(name)).href
  const watched = await watchPage(browser, (target) => target === url, options)
  await watched.page.goto(url)
  await ready(watched.page)
  return watched
}

async function ready(page: Page): Promise<void> {
  await page.locator('html[data-ready]').waitFor()
}

/** Whether a row is in the middle of the view. */
async function isInView(page: Page, selector: string): Promise<boolean> {
  const [row, pane] = await Promise.all([
    page.locator(selector).boundingBox(),
    page.locator('#timeline').boundingBox(),
  ])
  return row !== null && pane !== null && row.y < pane.y + pane.height && row.y + row.height > pane.y
}

/** By how many pixels the page is wider than its window. */
async function overflow(page: Page): Promise<unknown> {
  return await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** The rules of axe that a page breaks, and the first element that does. */
async function violations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
}

/** An answer with everything that Markdown has, and an edit. */
function markdownLog(): string {
  const answer = `# Done *soon*

| File | Lines |
|---|--:|
| a.ts | 12 |

> See [the docs](https://example.com/docs) or [here](http://example.com).

- [x] one
  1. two

\`\`\`ts
const two = 2
\`\`\`
`
  const input = {
    file_path: '/srv/a.ts',
    old_string: 'function f() {\n  return 1\n}\n',
    new_string: 'function f() {\n  return two\n}\n',
  }
  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'The file was updated.' }
  const messages = [
    { role: 'user', content: 'Fix `a.ts`.' },
    { role: 'assistant', content: [{ type: 'text', text: answer }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Edit', input }] },
    { role: 'user', content: [result] },
  ]
  const lines = messages.map((message, index) => ({
    type: message.role,
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: 'markdown',
    timestamp: `2026-01-02T03:00:0${index * 3}.000Z`,
    message: { id: `m${index}`, model: 'claude-opus-5-5', ...message },
  }))
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

describe.skipIf(chromium === undefined)('the page of a log', () => {
  it('runs no script of a hostile log, and loads nothing', async () => {
    writeFileSync(at('hostile.jsonl'), hostileLog())
    const { page, requests, events } = await openView(['hostile.jsonl'])
    // Unfolds everything from top to bottom, because only what is near the view is drawn.
    const unfolded = await page.evaluate(`(async () => {
      const closed = '#rows [aria-expanded="false"], .more, #bundle details:not([open]) summary'
      const pane = document.getElementById('timeline')
      let clicks = 0
      for (let end = -1; end !== pane.scrollTop; pane.scrollTop += 700) {
        end = pane.scrollTop
        for (let next; (next = document.querySelector(closed)) !== null; clicks++) next.click()
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
        if (end !== pane.scrollTop) end = -1
      }
      document.getElementById('notes-button').click()
      document.querySelector('#notes .dismiss').click()
      for (const node of document.querySelectorAll('.statement, .chip')) node.click()
      return clicks
    })()`)
    expect(unfolded).toBeGreaterThan(30)
    const shown = "[...document.querySelectorAll('.top, .outline, #rows, #bundle')]"
    const text = String(await page.evaluate(`${shown}.map(({ textContent }) => textContent).join(' ')`))
    for (const part of ['Answer <script>window.hit = 1</script>', 'Key </script><script>', '<iframe srcdoc='])
      expect(text).toContain(part)
    expect(text).not.toMatch(/[\u0007\u001b\u202e]/)
    expect(await page.title()).toContain('<script>window.hit = 1</script>')
    expect(
      await page.evaluate(`({
        hit: window.hit,
        polluted: {}.polluted,
        scripts: document.scripts.length,
        loaders: document.querySelectorAll('body :is(a, img, iframe, style, link, object, embed, base, form)').length,
        handlers: [...document.querySelectorAll('*')].filter((node) =>
          node.getAttributeNames().some((name) => name.startsWith('on'))).length,
      })`),
    ).toEqual({ hit: undefined, polluted: undefined, scripts: 2, loaders: 0, handlers: 0 })
    expect({ requests, events }).toEqual({ requests: [], events: [] })
    expect(hostileTexts.length).toBeGreaterThan(10)
  })

  it('would notice a running script, a request and a broken policy', async () => {
    const url = pathToFileURL(at('bad.html')).href
    writeFileSync(
      at('bad.html'),
      `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'"><script>window.hit = 1; alert(1)</script><img src="http://127.0.0.1:9/x.png"><script src="http://127.0.0.1:9/y.js"></script>`,
    )
    const { page, requests, events } = await watchPage(browser, (asked) => asked === url)
    await page.goto(url)
    expect(await page.evaluate('window.hit')).toBe(1)
    expect(requests).toEqual(['http://127.0.0.1:9/x.png'])
    expect(events.join('\n')).toMatch(/dialog: 1[\s\S]*policy: script-src/)
  })

  it('shows the events that support a statement', async () => {
    const { page, events } = await openView(['statements.jsonl'])
    await page.getByText('the session is finished').waitFor()
    const statement = page.locator('#bundle .statement', { hasText: 'public API of part 48' }).first()
    await statement.waitFor()
    const cited = await statement.locator('xpath=..').locator('.chip').allTextContents()
    expect(cited.length).toBeGreaterThan(0)
    await statement.click()
    expect(await statement.getAttribute('aria-pressed')).toBe('true')
    const marked = page.locator('.row.evidence')
    await marked.first().waitFor()
    expect(await marked.locator('.id').allTextContents()).toEqual(cited)
    expect(await isInView(page, '.row.evidence >> nth=0')).toBe(true)
    // Events in the trail are marked.
    await page.locator('.row.kept').nth(3).waitFor()
    expect(events).toEqual([])
  })

  it('can be read by keyboard', async () => {
    const { page, events } = await openView(['statements.jsonl'])
    const focused = (attribute: string) =>
      page.evaluate(`document.activeElement.getAttribute('${attribute}')`)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const second = await focused('data-focus')
    expect(second).toMatch(/^turn-\d+$/)
    await page.keyboard.press('k')
    expect(await focused('data-focus')).not.toBe(second)
    await page.keyboard.press('Enter')
    expect(await focused('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    expect(await focused('aria-expanded')).toBe('true')
    await page.keyboard.press('e')
    await page.getByText('Output (error)').waitFor()
    expect(await page.locator(':focus').textContent()).toContain('npm test')
    await page.keyboard.press(']')
    await page.locator('.picked').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.row.evidence').first().waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('part-17.ts')
    // A slow machine filters by the first letters before the last one is typed.
    await expect.poll(() => page.locator('#rows .item').count()).toBeLessThan(5)
    await page.locator('#status', { hasText: /^[1-4] steps?$/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#clear').waitFor({ state: 'hidden' })
    await page.locator('#rows .item').nth(20).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(events).toEqual([])
  })

  it('filters by kind and failure, and says when nothing is left', async () => {
    const { page } = await openView(['statements.jsonl'])
    await page.locator('#failed').click()
    await page.locator('#status', { hasText: '16 steps' }).waitFor()
    await page.getByRole('button', { name: /^Prompts/ }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.locator('#clear').click()
    await page.locator('.row.user').first().waitFor()
  })

  it('is dark if the system is, until the reader chooses', async () => {
    const { page } = await openView(['short.jsonl'], { colorScheme: 'dark' })
    const brightness = async () =>
      Number(await page.evaluate(`Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])`))
    expect(await brightness()).toBeLessThan(60)
    await page.keyboard.press('t')
    expect(await brightness()).toBeGreaterThan(200)
    await page.reload()
    await ready(page)
    expect(await brightness()).toBeGreaterThan(200)
  })

  it('shows subagents below the call that started them, and what the bundle holds of a call', async () => {
    const log = join(import.meta.dirname, '../../../examples/logs/claude-code-rate-limiter.jsonl')
    const { page } = await openView([log])
    await page.locator('.row.kept.tool_call button.line').first().click()
    await page.getByText('Kept in the bundle').first().waitFor()
    const agent = page.locator('.row.agent button.line').first()
    expect(await page.locator('.row.nested').count()).toBe(0)
    await agent.click()
    await page.locator('.row.nested').nth(5).waitFor()
    await page.locator('#agents').selectOption({ index: 2 })
    await page.locator('#status', { hasText: 'steps' }).waitFor()
    expect(await page.locator('.row.user').count()).toBe(0)
  })

  it('dims replayed events, between two dividers', async () => {
    writeClaudeLog(at('crashed.jsonl'), { session: 'crashed', rounds: 3 })
    writeClaudeLog(at('resumed.jsonl'), { session: 'resumed', rounds: 3 })
    const { page } = await openView(['resumed.jsonl', '--replay', 'crashed.jsonl'])
    expect(await page.locator('.divider').allTextContents()).toEqual([
      'Replayed from session crashed',
      'Session resumed begins here',
    ])
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
    const dimmed = await colour('.assistant.replayed .prose')
    await page.keyboard.press(']')
    await page.locator('.row.evidence').first().waitFor()
    // Evidence comes from the session itself; replayed events do not shift its numbers.
    expect(await page.locator('.row.evidence.replayed').count()).toBe(0)
    const picked = await page.locator('.picked .chip').allTextContents()
    expect(picked).toContain(await page.locator('.row.evidence .id').first().textContent())
    await page.locator('.assistant:not(.replayed) .prose').first().waitFor()
    expect(await colour('.assistant:not(.replayed) .prose')).not.toBe(dimmed)
  })

  it('shows Markdown, code in colours, and the lines that an edit changed', async () => {
    writeFileSync(at('markdown.jsonl'), markdownLog())
    const { page, events } = await openView(['markdown.jsonl', '--no-bundle'])
    expect(await page.locator('.assistant td').allTextContents()).toEqual(['a.ts', '12'])
    expect(await page.locator('.assistant em').textContent()).toBe('soon')
    expect(await page.locator('.assistant .code .hljs-keyword').first().textContent()).toBe('const')
    const links = 'a => [a.textContent, a.getAttribute("href"), a.rel]'
    expect(await page.evaluate(`[...document.querySelectorAll('#rows a')].map(${links})`)).toEqual([
      ['the docs', 'https://example.com/docs', 'noopener noreferrer nofollow'],
    ])
    // Only an encrypted address is a link: others are shown as they were written.
    expect(await page.locator('.assistant').first().textContent()).toContain('[here](http://example.com)')
    await page.locator('.tool_call button.line').click()
    expect(await page.locator('.diff .removed').allTextContents()).toEqual(['−  return 1\n'])
    expect(await page.locator('.diff .added').allTextContents()).toEqual(['+  return two\n'])
    expect(await page.locator('.took').textContent()).toBe('3.0 s')
    expect(events).toEqual([])
  })

  it('opens at the event that the address names, and copies text and links', async () => {
    const { page, events } = await openView(['statements.jsonl'])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    // The first answer after the middle: not in view without the address.
    const id = String(
      await page.evaluate(`JSON.parse(document.getElementById('data').textContent).events
        .filter(({ type }) => type === 'assistant')[60].id`),
    )
    const row = `.row:has(.id:text-is("${id}"))`
    expect(await page.locator(row).count()).toBe(0)
    await page.evaluate(`location.hash = '#${id}'`)
    await page.locator(row).waitFor()
    await expect.poll(() => isInView(page, row)).toBe(true)
    await page.reload()
    await ready(page)
    await page.locator(row).waitFor()
    await expect.poll(() => isInView(page, row)).toBe(true)
    // By keyboard: rows near the view are still being drawn, and one that moves under the mouse loses the click.
    await page.locator('.row.tool_call button.line').first().press('Enter')
    await page.locator('.footer .copy').first().press('Enter')
    await expect.poll(copied).toMatch(/\.html#e\d+$/)
    await page.locator('.row.user .id').first().click()
    expect(page.url()).toMatch(/#e\d+$/)
    const message = page.locator('.row.user').first()
    await message.hover()
    await message.locator('.copy').click()
    await expect.poll(copied).toMatch(/^Fix part \d+ of the shop\./)
    expect(await page.locator('.row.user .prose').allTextContents()).toContain(await copied())
    expect(events).toEqual([])
  })

  it('prints every step', async () => {
    const { page } = await openView(['statements.jsonl'])
    const rows = async () => Number(await page.evaluate(`document.querySelectorAll('#rows .item').length`))
    const near = await rows()
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    expect(await rows()).toBeGreaterThan(near + 100)
    expect(await page.locator('.toolbar').isVisible()).toBe(false)
  })

  it('says without scripts that it needs its own', async () => {
    await openView(['short.jsonl'])
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(pathToFileURL(at(pages.get('short.jsonl') ?? '')).href)
    expect(await page.locator('noscript p').textContent()).toContain('Allow this page to run its own script')
    expect(await page.locator('.toolbar').isVisible()).toBe(false)
    await context.close()
  })

  it('has no violation of the rules of axe, light, dark or narrow', async () => {
    writeFileSync(at('markdown.jsonl'), markdownLog())
    const { page } = await openView(['markdown.jsonl', '--no-bundle'], { bypassCSP: true })
    await page.locator('.tool_call button.line').click()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([colorScheme, await violations(page)]).toEqual([colorScheme, []])
    }
    const bundle = await openView(['short.jsonl'], { bypassCSP: true, colorScheme: 'dark' })
    expect(await violations(bundle.page)).toEqual([])
    await bundle.page.emulateMedia({ colorScheme: 'light' })
    await bundle.page.setViewportSize({ width: 390, height: 844 })
    expect(await violations(bundle.page)).toEqual([])
  })

  it('finds sessions in an index by words, agent and ratio, and sorts them', async () => {
    const logs = at('many')
    mkdirSync(logs)
    writeClaudeLog(join(logs, 'one.jsonl'), { session: 'one', rounds: 3, title: 'Fix the *bucket* <b>' })
    writeClaudeLog(join(logs, 'two.jsonl'), { session: 'two', rounds: 30, title: 'Add a queue' })
    const ran = await run(['view', '--all', 'many', '-o', 'site'], { cwd: at() })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const url = pathToFileURL(at('site/index.html')).href
    const watched = await watchPage(browser, (target) => target.startsWith(pathToFileURL(at('site')).href), {
      bypassCSP: true,
    })
    const { page, requests, events } = watched
    await page.goto(url)
    await ready(page)
    expect(await violations(page)).toEqual([])
    const shown = () => page.locator('#sessions a').filter({ visible: true }).allTextContents()
    expect(await shown()).toEqual(['Add a queue', 'Fix the *bucket* <b>'])
    // Words of the prompts count, not only those of the title.
    await page.locator('#search').fill('PUBLIC api part 25')
    expect(await shown()).toEqual(['Add a queue'])
    await page.locator('#search').fill('')
    await page.locator('#ratio').selectOption('none')
    expect(await shown()).toEqual([])
    expect(await page.locator('#nothing').isVisible()).toBe(true)
    await page.locator('#ratio').selectOption('')
    await page.locator('#agent').selectOption('claude-code')
    await page.getByRole('button', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'Tokens' }).click()
    expect(await shown()).toEqual(['Fix the *bucket* <b>', 'Add a queue'])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflow(page)).toBe(0)
    const unit = "getComputedStyle(document.querySelector('#sessions td[data-unit]'), '::after').content"
    expect(await page.evaluate(unit)).toMatch(/turns/)
    await page.getByText('Add a queue').click()
    await ready(page)
    expect(await overflow(page)).toBe(0)
    expect(page.url()).toMatch(/\/two\.html$/)
    expect({ requests, events }).toEqual({ requests: [], events: [] })
  })

  it('stays usable with thousands of events', async () => {
    // 20,000 events, and 3,000 in `npm test`.
    const rounds = repeats({ few: 340, all: 2230 })
    writeClaudeLog(at('large.jsonl'), { rounds, words: 6 })
    const { page } = await openView(['large.jsonl', '--no-bundle'])
    // Milliseconds since the page was requested: some 1,600 on two busy cores.
    expect(Number(await page.evaluate('performance.now()'))).toBeLessThan(60_000)
    expect(await page.locator('#stats').textContent()).toMatch(
      everyPoint ? /Events20,0\d\d/ : /Events3,0\d\d/,
    )
    expect(Number(await page.evaluate(`document.querySelectorAll('#rows .row *').length`))).toBeLessThan(5000)
    await page.evaluate(`document.getElementById('timeline').scrollTop = 1e9`)
    await page.locator('.prose', { hasText: new RegExp(`^Part ${rounds} is done\\.$`) }).waitFor()
    expect(Number(await page.evaluate(`document.querySelectorAll('#rows .row *').length`))).toBeLessThan(5000)
    await page.locator('#search').fill('part-267.ts')
    await page.locator('#status', { hasText: /^\d steps$/ }).waitFor()
  })
})

describe.skipIf(chromium === undefined)('a served page', () => {
  it('shows what is appended to the log, and sends requests nowhere else', async () => {
    const lines = claudeLog({ session: 'live', rounds: 4, words: 10 }).trimEnd().split('\n')
    const later = lines.splice(-3)
    writeFileSync(at('live.jsonl'), `${lines.join('\n')}\n`)
    const running = start(['view', 'live.jsonl', '--serve'], { cwd: at() })
    let output = ''
    running.child.stdout?.on('data', (chunk: string) => {
      output += chunk
    })
    await running.saw('Ctrl-C')
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0] ?? ''
    const { page, requests, events } = await watchPage(browser, (asked) => asked.startsWith(url))
    await page.goto(url)
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    expect(await page.getByText('Part 4 is done.').count()).toBe(0)
    appendFileSync(at('live.jsonl'), `${later.join('\n')}\n`)
    await page.getByText('Part 4 is done.').waitFor()
    expect(await page.locator('.divider').count()).toBe(0)
    // A page opened later has everything, once.
    await page.reload()
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    expect(await page.getByText('Part 4 is done.').count()).toBe(1)
    expect({ requests, events }).toEqual({ requests: [], events: [] })
    expect(await statusFor(url, 'log.example.net')).toBe(403)
    expect(await statusFor(url, new URL(url).host)).toBe(200)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
  })

  it('shows an event stream: an earlier run dimmed, a divider, and what happens now', async () => {
    const log = createEventLog()
    const earlier = { agent: 'main', session: 'run-1', replayed: true } as const
    log.add({ ...earlier, id: 'r1', type: 'user', text: 'Weigh the apples.' })
    log.add({ ...earlier, id: 'r2', type: 'assistant', text: 'I weigh them.' })
    const handle = serveEvents(log)
    const server = createServer((asked, response) => void handle(asked, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const running = start(['view', `http://127.0.0.1:${port}/events`], { cwd: at() })
    await running.saw('Ctrl-C')
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(running.output())?.[0] ?? ''
    const { page } = await watchPage(browser, (asked) => asked.startsWith(url))
    await page.goto(url)
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    await page.locator('.assistant.replayed', { hasText: 'I weigh them.' }).waitFor()
    log.add({ id: 'l1', agent: 'main', session: 'run-2', type: 'assistant', text: 'The apples weigh 2 kg.' })
    await page.locator('.assistant:not(.replayed)', { hasText: 'The apples weigh 2 kg.' }).waitFor()
    expect(await page.locator('.divider').allTextContents()).toEqual([
      'Replayed from session run-1',
      'Live: session run-2 begins here',
    ])
    server.close()
    server.closeAllConnections()
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
  })
})

async function statusFor(url: string, host: string): Promise<number | undefined> {
  return await new Promise((done, fail) => {
    const asked = request(url, { headers: { host } }, (response) => {
      response.resume()
      done(response.statusCode)
    })
    asked.once('error', fail).end()
  })
}
