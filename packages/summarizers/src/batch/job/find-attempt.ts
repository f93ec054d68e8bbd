import { sleep } from '../../provider/abortable.ts'
import { BatchError } from '../batch-error.ts'
import type { Attempt, BatchJob } from '../store/batch-job.ts'
import { updateAttempt } from '../store/job-store.ts'
import type { SubmissionLookup } from '../vendor/batch-provider.ts'
import { confirmAttempt } from './confirm-attempt.ts'
import { type Engine, knownBatches } from './engine.ts'
import { withRetries } from './retry.ts'

/**
 * Searches for the batch of an attempt whose submission got no answer. Its absence counts only if it still holds after
 * `settleMs`: the vendor may have been processing the submission.
 */
export async function findAttempt(engine: Engine, attempt: Attempt): Promise<SubmissionLookup> {
  const { provider, job, limits, signal } = engine
  const wanted = {
    job,
    attempt: attempt.n,
    customIds: attempt.requests.map(({ customId }) => customId),
    since: new Date(attempt.at),
    notThese: await knownBatches(engine, attempt.n),
  }
  const look = () =>
    withRetries(() => provider.find(wanted, { signal }), {
      signal,
      pauseMs: limits.pauseMs,
      tries: limits.tries,
      report: engine.report,
    })
  const finding = await look()
  if (finding.outcome !== 'none') return finding
  await sleep(limits.settleMs, signal)
  return await look()
}

/**
 * Finds out what became of attempts that were being submitted when a process ended. Returns a BatchError
 * `batch-uncertain` for each attempt that cannot be settled, unless the operator agreed to send it again.
 */
export async function reconcile(engine: Engine, job: BatchJob): Promise<BatchError[]> {
  const faults: BatchError[] = []
  for (const attempt of job.attempts) {
    if (attempt.state !== 'submitting') continue
    const finding = sameKey(engine, job)
      ? await findAttempt(engine, attempt)
      : {
          outcome: 'uncertain' as const,
          reason: 'the API key has changed and may not see that batch',
        }
    if (finding.outcome === 'found') await confirmAttempt(engine, attempt, finding.batch)
    else if (finding.outcome === 'pending')
      engine.report({ step: 'unconfirmed', attempt: attempt.n, reason: finding.reason })
    else if (finding.outcome === 'none' || engine.resubmitUncertain)
      await updateAttempt(engine.storage, job.job, attempt.n, 'submitting', { state: 'abandoned' })
    else faults.push(uncertain(job, attempt, finding.reason))
  }
  return faults
}

function sameKey(engine: Engine, job: BatchJob): boolean {
  return job.keyFingerprint === engine.provider.keyFingerprint
}

function uncertain(job: BatchJob, attempt: Attempt, reason: string): BatchError {
  return new BatchError(
    'batch-uncertain',
    `It is unknown whether ${job.provider} has the batch of ${attempt.requests.length} requests that was sent at ${attempt.at} (job ${job.job}): ${reason}. ` +
      'Look at the batches in the console of the provider. Run this again with resubmitUncertain to send them again; if that batch exists, both are billed.',
  )
}
