import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { makeClient } from '../../src/client.ts'
import { defaultRetryTimes } from '../../src/retry.ts'
import type { RadosGateway } from './rados-gateway.ts'

export async function createBucket(
  { endpoint, credentials }: Pick<RadosGateway, 'endpoint' | 'credentials'>,
  bucket: string,
): Promise<void> {
  const client = makeClient({ bucket, endpoint, credentials }, defaultRetryTimes)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
}
