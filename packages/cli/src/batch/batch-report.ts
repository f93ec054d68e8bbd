import { cleanLine } from '@tenfold/core/internal'
import type { BatchEvent, BatchStatus } from '@tenfold/summarizers/batch'
import { formatNumberOf } from '../terminal/numbers.ts'

export function eventLine(event: BatchEvent): string | undefined {
  switch (event.step) {
    case 'session-stored':
      return `stored ${cleanLine(event.name)}: ${formatNumberOf(event.requests, 'request')}`
    case 'submitting':
      return `sending ${formatNumberOf(event.requests, 'request')}`
    case 'submitted':
      return `sent as ${cleanLine(event.batchId)}`
    case 'unconfirmed':
      return `no answer to a submission: ${cleanLine(event.reason)}`
    case 'running':
      return `${cleanLine(event.batchId)}: ${event.ended} of ${formatNumberOf(event.requests, 'request')} done`
    case 'ended': {
      const missing = event.missing === 0 ? '' : `, ${event.missing} missing`
      return `${cleanLine(event.batchId)} ended: ${formatNumberOf(event.rows, 'row')}${missing}`
    }
    case 'session-saved':
      return `session ${event.n}: saved as ${event.bundleId}`
    case 'session-trivial':
      return `session ${event.n}: nothing to remember, so nothing was stored`
    case 'session-failed':
      return `session ${event.n} failed: ${cleanLine(event.reason)}`
    case 'retry':
      return `trying again in ${Math.ceil(event.waitMs / 1000)} s: ${cleanLine(event.reason)}`
    case 'busy':
      return 'another process works on this job'
  }
}

export function statusLines({
  job,
  provider,
  model,
  sessions,
  saved,
  failed,
  trivial,
  batches,
}: BatchStatus): string[] {
  return [
    `${job}  ${provider} ${cleanLine(model)}  ${saved} of ${formatNumberOf(sessions, 'session')} saved${failed > 0 ? `, ${failed} failed` : ''}${trivial > 0 ? `, ${trivial} with nothing to remember` : ''}`,
    ...batches.map(
      ({ state, requests, received, batchId, expiresAt }) =>
        `  ${state}  ${cleanLine(batchId ?? 'not confirmed')}  ${received} of ${formatNumberOf(requests, 'row')} received${expiresAt === undefined ? '' : `, expires ${expiresAt}`}`,
    ),
  ]
}
