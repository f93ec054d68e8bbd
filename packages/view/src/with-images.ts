import type { Reader, SessionEvent } from '@tenfold/core'
import type { LogRecord } from '@tenfold/core/readers'

/** Images by the id of their event, as `data:` URLs. */
export type EventImages = ReadonlyMap<string, readonly string[]>

/** Most characters of all images together, so that the page can still be opened. */
const maxLength = 60_000_000

/**
 * Readers that also keep the images of the log that they read, which a session only counts. A log that is one JSON
 * document does not say which image belongs to which event: its images are left out.
 */
export function withImages(readers: readonly Reader[]): {
  readonly readers: readonly Reader[]
  readonly images: EventImages
} {
  const images = new Map<string, readonly string[]>()
  let length = 0

  function keep(event: SessionEvent, found: string[]): void {
    const count = 'images' in event ? (event.images ?? 0) : 0
    const own = found.splice(0, count)
    const size = own.reduce((sum, image) => sum + image.length, 0)
    if (own.length === 0 || length + size > maxLength) return
    length += size
    images.set(event.id, own)
  }

  const tapped = readers.map(
    (reader): Reader => ({
      ...reader,
      async read(records, out) {
        images.clear()
        length = 0
        let found: string[] = []
        async function* tap(): AsyncGenerator<LogRecord> {
          for await (const record of records) {
            found = record.text === '' ? [] : imagesIn(record.value)
            yield record
          }
        }
        await reader.read(tap(), {
          ...out,
          event(draft, at) {
            const event = out.event(draft, at)
            keep(event, found)
            return event
          },
        })
      },
    }),
  )
  return { readers: tapped, images }
}

const isImageType = /^image\/(?:png|jpeg|gif|webp)$/
const isBase64 = /^[A-Za-z\d+/]+={0,2}$/
const isDataUrl = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z\d+/]+={0,2}$/

/** The images in a record, in their order: `data:` URLs, and objects with a media type and base64 data. */
function imagesIn(record: unknown): string[] {
  const found: string[] = []
  const open: unknown[] = [record]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (value.startsWith('data:image/') && isDataUrl.test(value)) found.push(value)
    } else if (typeof value === 'object' && value !== null) {
      const image = imageOf(value as Readonly<Record<string, unknown>>)
      if (image === undefined) open.push(...Object.values(value).reverse())
      else found.push(image)
    }
  }
  return found
}

function imageOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { data, media_type, mimeType, mime_type } = fields
  const type = media_type ?? mimeType ?? mime_type
  if (typeof type !== 'string' || typeof data !== 'string' || !isImageType.test(type)) return undefined
  return isBase64.test(data) ? `data:${type};base64,${data}` : undefined
}
