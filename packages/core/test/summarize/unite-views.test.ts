import { describe, expect, it } from 'vitest'
import { uniteViews } from '../../src/summarize/parts/unite-views.ts'
import { item, summaryWith } from './summaries.ts'

const findings = (...texts: readonly string[]) =>
  uniteViews(
    summaryWith({ findings: texts.map((text, index) => item(text, `e${(index + 1) * 10}`)) }),
  ).findings.map(({ text }) => text)

/** Views of one matter: the second one says all of the first. */
const same: readonly (readonly [string, string])[] = [
  ['login returns 500', 'POST /login fails with 500 (null pointer in session.ts:40)'],
  ['The login still fails with error 500.', 'POST /login returns 500: user.session is null in session.ts'],
  ['Upload returns 413', 'Upload of avatars returns 413 since nginx limits bodies to 1 MB'],
  [
    '`parseDate` crashes on empty input',
    'On an empty input `parseDate` in dates.ts crashes with a RangeError',
  ],
  [
    'cart.ts rounds totals wrongly',
    'src/shop/cart.ts rounds the totals wrongly: half a cent is lost on every line',
  ],
  ['TS2304 in cart.ts for Item', 'src/cart.ts(12,5): error TS2304: cannot find the name Item'],
  ['Port 3000 is used', 'Port 3000 is used by the old server, so the new one cannot start'],
  [
    'ECONNREFUSED from Redis in the tests',
    'Tests of the queue get ECONNREFUSED from Redis: it is down on port 6379',
  ],
  ['queue.ts drops jobs on restart', 'queue.ts drops all jobs on a restart, because flush() is not awaited'],
  [
    'The glob breaks path separators on Windows',
    'The glob of the loader breaks path separators on Windows, so no file is found',
  ],
  [
    '`MAX_RETRIES` defaults to 3',
    'The constant `MAX_RETRIES` in retry.ts defaults to 3 and is not configurable',
  ],
  [
    'Build fails with ERR_REQUIRE_ESM in the loader',
    'The build fails in the loader with ERR_REQUIRE_ESM: chalk 5 is an ES module',
  ],
  [
    'schema.sql lacks the orders index',
    'db/schema.sql lacks an index on orders (customer_id): the list takes 4 s',
  ],
  [
    'Session tokens expire after 900 seconds',
    'The session tokens expire after 900 seconds, set in auth/token.ts',
  ],
  [
    '`useCart` rerenders on every keystroke',
    'The hook `useCart` rerenders the whole page on every keystroke in the search field',
  ],
  ['CI runs Node 20 in test.yml', 'The workflow test.yml of the CI still runs Node 20'],
  [
    'webhook.ts accepts unsigned events',
    'webhook.ts accepts unsigned events: `verifySignature` is called, its result is dropped',
  ],
  [
    'Memory grows to 2048 MB in the importer',
    'In the importer the memory grows to 2048 MB, since rows are kept until the end',
  ],
  ['Avatar upload answers 403', 'Avatar upload answers 403 for guests; the bucket policy denies PutObject'],
  [
    'the price cache in prices.ts is never cleared',
    'The price cache in src/prices.ts is never cleared, so that old prices are shown for days',
  ],
  ['export.csv has no header row', 'The file export.csv has no header row if the list is empty'],
  ['`--dry-run` writes files', '`--dry-run` of the sync command writes files to the output folder'],
  [
    'Deadlock between orders and invoices tables on import',
    'There is a deadlock between the orders and invoices tables on import of large batches',
  ],
  [
    'E2E suite times out on checkout page',
    'The E2E suite times out on the checkout page, which waits for a payment frame',
  ],
  [
    'Login with 2FA codes fails on clock skew',
    'Login with 2FA codes fails on a clock skew of more than 30 s',
  ],
  ['index.html loads the script twice', 'public/index.html loads the script twice, once deferred'],
  [
    '`getUser` returns undefined for deleted accounts',
    '`getUser` returns undefined for deleted accounts, and profile.tsx reads .name of it',
  ],
  [
    'The lint rule no-floating-promises fails in worker.ts',
    'In worker.ts the lint rule no-floating-promises fails for three calls',
  ],
  ['Docker image is 1900 MB', 'The Docker image is 1900 MB: the build stage is copied whole'],
  ['PATCH /orders answers 422', 'PATCH /orders answers 422 if the note is empty'],
  ['robots.txt blocks all pages', 'public/robots.txt blocks all pages, also in production'],
  [
    'Emails are sent twice by mailer.ts',
    'Emails are sent twice by mailer.ts, as both the queue and the hook call `sendMail`',
  ],
]

/** Two matters, however much they share. */
const apart: readonly (readonly [string, string])[] = [
  ['login returns 500', 'POST /logout fails with 500 (null pointer in session.ts:40)'],
  ['login returns 500', 'login returns 404 (no route in routes.ts)'],
  ['login returns 500', 'The avatar upload works, but the page after the login returns 500'],
  ['upload returns 500', 'The upload does not return 500 for files under 1 MB'],
  ['session.ts:40 reads a null user', 'session.ts:88 reads a null user of the session'],
  ['src/cart/index.ts exports no totals', 'src/orders/index.ts exports no totals of orders'],
  ['TS2304 in cart.ts', 'TS2345 in cart.ts for the second argument'],
  ['TS2304 in cart.ts for Item', 'TS2304 in user.ts for Item and Role'],
  ['3 tests fail in cart.test.ts', '5 tests fail in cart.test.ts after the change'],
  ['Use Redis for the job queue', 'Use Postgres instead of Redis for the job queue'],
  ['Add the CSV parser in src/csv.ts', 'Add tests for the CSV parser in src/csv.ts'],
  ['Write the importer in import.ts', 'Review the importer in import.ts and write its document'],
  ['Deploy web.yml to staging', 'Revert the deploy of web.yml to staging'],
  ['`parse` calls `flush`', '`flush` calls `parse` at the end'],
  ['retry.ts waits 3 seconds 5 times', 'retry.ts waits 5 seconds 3 times, then gives up'],
  ['the client overwrites the server cache in sync.ts', 'the server overwrites the client cache in sync.ts'],
  ['cache.ts keeps the old value before the new', 'cache.ts keeps the new value before the old one'],
  ['login returns 500', 'login in session.ts, which returned 500, is fixed'],
  ['queue.test.ts passes on Linux', 'queue.test.ts fails on Linux and on Windows'],
  ['Session tokens expire after 900 seconds', 'Session tokens never expire after 900 seconds of use'],
  ['Totals are wrong in the cart view of shop.tsx', 'Totals are wrong in the checkout view of shop.tsx'],
  ['Tests are slow', 'The tests of the importer are slow because of the fixtures'],
  ['Fix the login', 'Fix the login of guests in session.ts'],
  ['`useCart` rerenders too often', '`useUser` rerenders too often in cart.tsx'],
  ['`MAX_RETRIES` is 3', '`MAX_DELAY` is 3 and `MIN_DELAY` is 1'],
  ['Node 20 is required', 'Node 22 is required by the build, 18 by the tests'],
  ['copy from input to output in build.ts', 'copy from output to input in build.ts'],
  ['orders need an index on customer_id', 'invoices need an index on customer_id and date'],
  ['Error in cart.ts', 'Error in cart.ts: the sum of prices overflows'],
  ['prices.ts reads the cache', 'prices.ts reads the database without the cache'],
  ['GET /orders takes 400 ms', 'POST /orders takes 900 ms, most of it in the hook'],
  ['Windows build fails on spawn EINVAL', 'macOS build fails on spawn EACCES'],
  ['docs/setup.md names npm', 'docs/usage.md names npm and pnpm'],
  ['Ask ops for the S3 key', 'Ask legal for the S3 region'],
  [
    "Cannot find module './src/utils/config.js'",
    "src/log.ts(9,3): error TS2307: Cannot find module './config.js'",
  ],
  [
    'add it to the `Pool` options',
    'the pattern is `new Queue(size)`: add two options, a limit for `Pool` and its name',
  ],
  ['a.ts imports b.ts', 'c.ts imports b.ts and d.ts'],
]

describe('statements of one list', () => {
  it.each(same)('are united if the second includes all of the first: %s', (less, more) => {
    expect(findings(less, more)).toEqual([more])
    expect(findings(more, less)).toEqual([more])
  })

  it.each(apart)('stay separate: %s', (one, other) => {
    expect(findings(one, other)).toEqual([one, other])
    expect(findings(other, one)).toEqual([other, one])
  })

  it('keep all evidence, the first place, and the topic', () => {
    const united = uniteViews(
      summaryWith({
        findings: [
          item('login returns 500', 'e5'),
          item('The docs are old', 'e7'),
          item('POST /login returns 500', 'e90'),
          item('POST /login returns 500: user is null in session.ts', 'e60', 'e61'),
        ],
        decisions: [
          {
            topic: 'cache',
            choice: 'Redis 7 in cache.ts',
            alternatives: ['files'],
            by: 'agent',
            evidence: ['e3'],
          },
          {
            topic: 'cache',
            choice: 'Redis 7 in cache.ts, with a limit of 500 keys',
            alternatives: ['memory'],
            by: 'agent',
            evidence: ['e40'],
          },
        ],
      }),
    )
    expect(united.findings).toEqual([
      item('POST /login returns 500: user is null in session.ts', 'e5', 'e60', 'e61', 'e90'),
      item('The docs are old', 'e7'),
    ])
    expect(united.decisions).toEqual([
      {
        topic: 'cache',
        choice: 'Redis 7 in cache.ts, with a limit of 500 keys',
        alternatives: ['files', 'memory'],
        by: 'agent',
        evidence: ['e3', 'e40'],
      },
    ])
  })

  it('stay separate if two different ones include all of one', () => {
    const texts = [
      'login returns 500',
      'POST /login returns 500: user is null in session.ts',
      'POST /login returns 500: the pool is empty in db.ts',
    ]
    expect(findings(...texts)).toEqual(texts)
  })

  it('are never united if they are constraints, decisions of two authors, or steps with two commands', () => {
    const summary = summaryWith({
      constraints: [
        item('Never log session.ts tokens', 'e1'),
        item('Never log session.ts tokens in tests', 'e2'),
      ],
      decisions: [
        { choice: 'Redis 7 in cache.ts', alternatives: [], by: 'user', evidence: ['e3'] },
        { choice: 'Redis 7 in cache.ts with 500 keys', alternatives: [], by: 'agent', evidence: ['e4'] },
      ],
      nextSteps: [
        { action: 'Run cart.test.ts of the shop', command: 'npx vitest run cart', evidence: ['e5'] },
        {
          action: 'Run cart.test.ts of the shop on Node 22',
          command: 'nvm exec 22 npm test',
          evidence: ['e6'],
        },
      ],
    })
    expect(uniteViews(summary)).toEqual(summary)
  })
})
