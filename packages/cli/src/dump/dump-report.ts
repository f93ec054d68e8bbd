import type { HaltDump, MissingPart, RestoredDump, WrittenDump } from '@tenfold/core/halt'
import { cleanLine, cleanText, gitLine, shownPath } from '@tenfold/core/internal'
import { formatTable } from '../terminal/table.ts'
import type { Screen, Style } from '../terminal/terminal.ts'
import { formatBytes, formatCount, formatNumberOf } from '../terminal/text.ts'

const maxShown = 50

export function writtenLines(written: WrittenDump, style: Style): string[] {
  const { haltId, state, parts, storedBytes, secrets } = written
  const marks = secrets === 0 ? '' : `, ${formatNumberOf(secrets, 'secret')} redacted`
  return [
    `Dumped ${haltId}: ${stateText(state, style)}, ${formatNumberOf(parts.length, 'part')}, ${formatBytes(storedBytes)} written${marks}.`,
    ...missingLines(written.missing, style),
    ...written.notes.map(({ message }) => `${style.yellow('note:')} ${cleanLine(message)}`),
  ]
}

export function dumpLines(dump: HaltDump, { style, columns }: Screen): string[] {
  const { haltId, state, metadata, parts, faults } = dump
  const about = [
    metadata?.taskId && `task ${metadata.taskId}`,
    metadata?.iteration !== undefined && `iteration ${metadata.iteration}`,
    metadata?.projectId && `project ${metadata.projectId}`,
  ]
  const { agent, git, redaction } = metadata ?? {}
  const folder = 'filesystem/file-snapshots/'
  const withSecrets = (metadata?.parts ?? []).flatMap(({ path, redacted }) =>
    redacted !== undefined && path.startsWith(folder) ? [path.slice(folder.length)] : [],
  )
  const fields: [name: string, value: string | undefined | false][] = [
    ['Reason', metadata?.reason],
    ['About', about.filter(Boolean).join(', ')],
    ['Agent', [agent?.name, agent?.model, agent?.mode, agent?.sessionId].filter(Boolean).join(', ')],
    ['Sandbox', metadata?.sandboxRoot && shownPath(metadata.sandboxRoot)],
    ['Git', git && gitLine(git)],
    ['State key', metadata?.stateKey],
    ['Next', metadata?.nextCommand && `${metadata.nextCommand} (not run)`],
    [
      'Redacted',
      redaction &&
        redaction.secrets > 0 &&
        redaction.types.map(([type, count]) => `${count} ${type}`).join(', '),
    ],
    ['Files with secrets', withSecrets.map(shownPath).join(', ')],
  ]
  const line = ([name, value]: (typeof fields)[number]): string[] =>
    value ? [`${style.dim(`${name}:`)} ${cleanLine(value)}`] : []
  const rows = [...parts].map(([path, { byteLength }]) => [`  ${cleanLine(path)}`, formatBytes(byteLength)])
  return [
    `Halt dump ${haltId}, ${stateText(state, style)}, ${metadata?.createdAt ?? 'time unknown'}`,
    ...fields.flatMap(line),
    style.dim('Parts:'),
    ...formatTable([{ title: '' }, { title: '', align: 'right' }], rows.slice(0, maxShown), columns),
    ...(rows.length > maxShown ? [`  … ${formatCount(rows.length - maxShown)} more`] : []),
    ...missingLines(metadata?.missing ?? [], style),
    ...(metadata?.notes ?? []).map(({ message }) => `${style.yellow('note:')} ${cleanLine(message)}`),
    ...faults.map(({ message }) => `${style.red('fault:')} ${cleanText(message)}`),
  ]
}

export function restoredLines({ haltId, folder, head, equal, findings }: RestoredDump, style: Style) {
  const at = head === undefined ? '' : ` at ${head.slice(0, 12)}`
  const rest = findings.length > maxShown ? [`… ${formatCount(findings.length - maxShown)} more`] : []
  const label = (code: string): string =>
    code === 'redacted' || code === 'not-stored' ? style.yellow(`${code}:`) : style.red(`${code}:`)
  return [
    ...findings.slice(0, maxShown).map(({ code, message }) => `${label(code)} ${cleanLine(message)}`),
    ...rest,
    `Restored ${haltId} into ${shownPath(folder)}${at}: ${formatNumberOf(equal, 'file')} identical, ${findings.length === 0 ? 'no findings' : formatNumberOf(findings.length, 'finding')}.`,
  ]
}

function missingLines(missing: readonly MissingPart[], style: Style): string[] {
  return missing
    .filter(({ code }) => code !== 'not-given')
    .map(({ path, code, reason }) => {
      const label = code === 'none' ? style.dim('none:') : style.yellow('missing:')
      return `${label} ${cleanLine(path)}: ${cleanLine(reason)}`
    })
}

function stateText(state: HaltDump['state'], style: Style): string {
  return state === 'complete' ? style.green(state) : style.yellow(state)
}
