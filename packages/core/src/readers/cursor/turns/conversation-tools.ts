import type { FileChange } from '../../../session/event.ts'
import { toolInputText } from '../../../session/event-text.ts'
import { asCount, asObject, type JsonObject } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { plainValue, textOf } from '../../../session/plain-value.ts'
import type { Outcome } from '../../shared/outcome.ts'
import { grepText, treeText } from './search-text.ts'

/** The outcome of a tool call in a `ConversationTurn`; `undefined` if there is no result yet. */
export function toolResultOf(tool: string, args: unknown, result: unknown): Outcome | undefined {
  if (result === undefined || result === null) return undefined
  const record = asObject(result)
  const value = record?.status === 'success' ? record.value : undefined
  if (record?.status === 'error') return { status: 'error', text: errorText(record.error) }
  if (value === undefined) return { status: 'ok', text: valueText(record?.value ?? withoutStatus(result)) }
  const fields = asObject(value)
  const exitCode = tool === 'shell' && Number.isSafeInteger(fields?.exitCode) ? Number(fields?.exitCode) : 0
  const failed = exitCode !== 0 || (tool === 'mcp' && fields?.isError === true)
  return {
    status: failed ? 'error' : 'ok',
    text: resultText(tool, value),
    exitCode: tool === 'shell' && typeof fields?.exitCode === 'number' ? exitCode : undefined,
    changes: failed ? [] : changesOf(tool, args, fields),
    images: imagesIn(tool, fields),
  }
}

function withoutStatus(result: unknown): unknown {
  const { status, ...rest } = asObject(result) ?? {}
  return status === undefined ? result : Object.keys(rest).length === 0 ? undefined : rest
}

function errorText(error: unknown): string {
  const message = asObject(error)?.message
  return typeof message === 'string' && message !== '' ? message : valueText(error)
}

/** The readable text of a result; leaves out fields that only repeat it or hold bytes. */
function resultText(tool: string, value: unknown): string {
  const fields = asObject(value)
  if (fields === undefined) return valueText(value)
  switch (tool) {
    case 'shell':
      return [fields.stdout, fields.stderr]
        .map(textOf)
        .filter((text) => text !== '')
        .join('\n')
    case 'read':
      return 'content' in fields ? textOf(fields.content) : valueText(fields)
    case 'glob':
      return Array.isArray(fields.files) ? fields.files.map(textOf).join('\n') : valueText(fields)
    case 'grep':
      return grepText(fields) ?? valueText(fields)
    case 'ls':
      return treeText(fields) ?? valueText(fields)
    case 'semSearch':
      return 'results' in fields ? textOf(fields.results) : valueText(fields)
    case 'edit':
      return 'diffString' in fields ? textOf(fields.diffString) : valueText(fields)
    case 'mcp':
      return Array.isArray(fields.content)
        ? fields.content.flatMap((part) => (isImage(part) ? [] : [contentText(part)])).join('\n')
        : valueText(fields)
    case 'write':
      return valueText(without(fields, 'fileContentAfterWrite'))
    case 'generateImage':
      return valueText(without(fields, 'imageData'))
    case 'task':
      // They have their own events.
      return valueText(without(fields, 'conversationSteps'))
    default:
      return valueText(fields)
  }
}

function without(fields: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key))
}

function valueText(value: unknown): string {
  return toolInputText(plainValue(value))
}

/** A content block of the Model Context Protocol; Cursor wraps its text once more. */
function contentText(part: unknown): string {
  const text = asObject(part)?.text
  return textOf(asObject(text)?.text ?? text ?? part)
}

function isImage(part: unknown): boolean {
  const fields = asObject(part)
  return fields !== undefined && (fields.type === 'image' || 'image' in fields)
}

function imagesIn(tool: string, fields: JsonObject | undefined): number {
  if (tool === 'generateImage') return fields?.imageData === undefined ? 0 : 1
  if (tool !== 'mcp' || !Array.isArray(fields?.content)) return 0
  return fields.content.filter(isImage).length
}

function changesOf(tool: string, args: unknown, fields: JsonObject | undefined): FileChange[] {
  const path = asObject(args)?.path
  if (typeof path !== 'string' || path === '') return []
  if (tool === 'delete') return [{ path, action: 'deleted' }]
  if (tool !== 'edit') return []
  const lines = { added: asCount(fields?.linesAdded), removed: asCount(fields?.linesRemoved) }
  return [{ path, action: 'modified', ...known(lines) }]
}
