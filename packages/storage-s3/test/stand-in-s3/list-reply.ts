import { errorReply, escapeXml, type Reply, xmlReply } from './message.ts'

interface Listed {
  readonly key: string
  readonly size: number
  readonly etag: string
}

/** ListObjectsV2 over keys in any order: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export function listReply(
  bucket: string,
  query: URLSearchParams,
  objects: readonly Listed[],
  pageSize: number,
): Reply {
  if (query.get('list-type') !== '2') return errorReply(501, 'NotImplemented', 'Only ListObjectsV2 is there.')
  const prefix = query.get('prefix') ?? ''
  const token = query.get('continuation-token')
  const after = token === null ? query.get('start-after') : readToken(token)
  if (after === undefined)
    return errorReply(400, 'InvalidArgument', 'The continuation token provided is incorrect')
  const size = Math.min(Number(query.get('max-keys') ?? 1000), pageSize)
  const encode = query.get('encoding-type') === 'url' ? formEncode : escapeXml
  const from = Buffer.from(after ?? '')
  const rest = objects
    .filter(
      ({ key }) => key.startsWith(prefix) && (after === null || Buffer.compare(Buffer.from(key), from) > 0),
    )
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  const page = rest.slice(0, size)
  const last = page.at(-1)
  const more = rest.length > page.length && last !== undefined
  const contents = page.map(
    (object) =>
      `<Contents><Key>${encode(object.key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
      `<ETag>&quot;${object.etag}&quot;</ETag><Size>${object.size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  )
  return xmlReply(
    200,
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>` +
      `<Prefix>${encode(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${size}</MaxKeys>` +
      (query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : '') +
      `<IsTruncated>${more}</IsTruncated>` +
      (more ? `<NextContinuationToken>${makeToken(last.key)}</NextContinuationToken>` : '') +
      `${contents.join('')}</ListBucketResult>`,
  )
}

/** Like AWS: a space becomes "+". */
function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/')
}

function makeToken(key: string): string {
  return Buffer.from(`after:${key}`).toString('base64')
}

function readToken(token: string): string | undefined {
  const text = Buffer.from(token, 'base64').toString()
  return text.startsWith('after:') ? text.slice('after:'.length) : undefined
}
