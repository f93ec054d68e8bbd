import { newId } from '../ids.ts'
import { errorReply, invalid, requestIdHeader } from '../provider-error.ts'
import { jsonReply, type Reply, textReply } from '../reply.ts'
import type { StandInRequest, State, StoredFile } from '../state.ts'

/** A part of a multipart form. */
export interface FormPart {
  readonly name: string
  readonly filename?: string
  readonly value: string
}

/** Parts of a `multipart/form-data` body. */
export function formParts(text: string, contentType: string): FormPart[] {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1]
  if (boundary === undefined) return []
  return `\r\n${text}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const gap = part.indexOf('\r\n\r\n')
      const head = part.slice(0, gap)
      const filename = /filename="([^"]*)"/.exec(head)?.[1]
      return {
        name: /[; ]name="([^"]*)"/.exec(head)?.[1] ?? '',
        ...(filename === undefined ? {} : { filename }),
        value: part.slice(gap + 4),
      }
    })
}

/** Keeps a file and returns its description. */
export function storeFile(state: State, filename: string, purpose: string, text: string): StoredFile {
  const createdAt = Math.floor(Date.now() / 1000)
  const file = { id: newId('file-'), filename, purpose, text, createdAt }
  state.files.set(file.id, file)
  return file
}

/** `POST /v1/files`. https://platform.openai.com/docs/api-reference/files */
export function uploadFile(state: State, request: StandInRequest): Reply {
  const parts = formParts(request.text, request.headers['content-type'] ?? '')
  const file = parts.find((part) => part.name === 'file')
  const purpose = parts.find((part) => part.name === 'purpose')?.value
  if (file === undefined) return errorReply('openai', invalid("'file' is a required property", 'file'))
  if (purpose === undefined)
    return errorReply('openai', invalid("'purpose' is a required property", 'purpose'))
  const seconds = Number(parts.find((part) => part.name === 'expires_after[seconds]')?.value ?? 2_592_000)
  return ok(wireFile(storeFile(state, file.filename ?? 'file', purpose, file.value), seconds))
}

export function fileContent(state: State, id: string): Reply {
  const file = state.files.get(id)
  if (file === undefined) return noFile(id)
  return textReply(200, file.text, {
    'content-type': 'application/octet-stream',
    ...requestIdHeader('openai', newId('req_')),
  })
}

function wireFile(file: StoredFile, seconds: number) {
  return {
    id: file.id,
    object: 'file',
    bytes: Buffer.byteLength(file.text),
    created_at: file.createdAt,
    expires_at: file.createdAt + seconds,
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
    status_details: null,
  }
}

function ok(body: object): Reply {
  return jsonReply(200, body, requestIdHeader('openai', newId('req_')))
}

function noFile(id: string): Reply {
  return errorReply('openai', { status: 404, message: `No such File object: ${id}`, param: 'id' })
}
