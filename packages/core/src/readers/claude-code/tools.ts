import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { createdFile } from '../shared/diff-counts.ts'
import { stopIn } from '../shared/outcome.ts'
import { numberIn, outputText } from '../shared/values.ts'
import type { Change, Outcome } from '../shared/writer.ts'

export function toolOutcome(block: json.Fields, structured: unknown, record: json.Fields, name = 'Edit') {
  const { text: said, images } = outputText(block.content)
  const failed = block.is_error === true
  const details = json.fields(structured)
  // For an empty message: the output of the tool, or the file that it read.
  const shown = json.texts([details.stdout, details.stderr]).join('\n') || json.text(details.file, 'content')
  const text = said === '' && images === 0 ? (json.text(structured) ?? shown ?? '') : said
  return {
    status: statusOf(text, failed, record.toolDenialKind, structured),
    text,
    exitCode: exitCodeOf(text, failed, details),
    changes: toolKindOf(name) === 'edit' ? changesOf(details) : [],
    images,
  }
}

function statusOf(text: string, failed: boolean, denial: unknown, structured: unknown): Outcome['status'] {
  const stop = failed ? stopIn(text) : undefined
  if (failed && (denial !== undefined || structured === 'User rejected tool use')) return 'denied'
  if (stop !== undefined) return stop
  if (json.at(structured, 'interrupted') === true) return 'cancelled'
  return failed ? 'error' : 'ok'
}

function exitCodeOf(text: string, failed: boolean, details: json.Fields): number | undefined {
  const code = json.number(details.exitCode)
  if (code !== undefined) return code
  // Set if exit code 1 is not a failure: for grep, find, diff and test.
  if (!failed && json.text(details.returnCodeInterpretation) !== undefined) return 1
  return failed ? numberIn(text, /^(?:Error: )?Exit code (-?\d{1,10})\b/) : undefined
}

function changesOf({ content, filePath, notebook_path, structuredPatch, type }: json.Fields): Change[] {
  const path = json.text(filePath) ?? json.text(notebook_path)
  if (path === undefined) return []
  if (type === 'create') return [createdFile(path, content)]
  if (!Array.isArray(structuredPatch)) return [{ path, action: 'modified' }]
  const lines = structuredPatch.flatMap((hunk) => json.list(hunk, 'lines'))
  const count = (sign: string): number => json.texts(lines).filter((line) => line.startsWith(sign)).length
  return [{ path, action: 'modified', added: count('+'), removed: count('-') }]
}
