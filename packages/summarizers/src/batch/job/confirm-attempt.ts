import type { Attempt } from '../store/batch-job.ts'
import { updateAttempt } from '../store/job-store.ts'
import type { VendorBatch } from '../vendor/batch-provider.ts'
import type { Engine } from './engine.ts'

/** Records which batch an attempt became. */
export async function confirmAttempt(engine: Engine, attempt: Attempt, batch: VendorBatch): Promise<void> {
  await updateAttempt(engine.storage, engine.job, attempt.n, 'submitting', {
    state: 'submitted',
    batchId: batch.batchId,
    fileId: batch.fileId,
    submittedAt: batch.createdAt ?? new Date().toISOString(),
    expiresAt: batch.expiresAt,
  })
  engine.report({ step: 'submitted', attempt: attempt.n, batchId: batch.batchId })
}
