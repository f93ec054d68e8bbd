import { known } from '../session/known.ts'
import { fieldList, fieldOf, fieldsOf, formatItem, parseItem } from './markdown-items.ts'
import { flag, itemSection, listSection, numberOf, type Section, textSection } from './markdown-section.ts'
import { formatTrail, parseTrail } from './markdown-trail.ts'
import { formatUsage, parseUsage } from './markdown-usage.ts'

/** Lines added and removed, as ` +12 -3`. */
function changeOf({ added, removed }: { added?: number | undefined; removed?: number | undefined }): string {
  return `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` -${removed}`}`
}

/** All sections, in the order of the document. */
export const sections: readonly Section[] = [
  textSection('Summary', ['summary'], (bundle) => bundle.summary),
  listSection(
    'Next steps',
    ['nextSteps'],
    (bundle) => bundle.nextSteps,
    (step) =>
      formatItem({
        main: step.action,
        fields: fieldList({ run: step.command }),
        evidence: step.evidence,
        unverified: step.unverified === true,
      }),
    (text) => {
      const item = parseItem(text)
      return known({
        action: item.main,
        command: fieldOf(item, 'run'),
        evidence: item.evidence,
        ...flag(item),
      })
    },
  ),
  textSection('Resume', ['resumeInstructions'], (bundle) => bundle.resumeInstructions),
  itemSection('Constraints', ['constraints'], (bundle) => bundle.constraints),
  listSection(
    'Decisions',
    ['decisions'],
    (bundle) => bundle.decisions,
    (decision) =>
      formatItem({
        main: decision.choice,
        fields: [
          ...fieldList({ on: decision.topic, because: decision.rationale }),
          ...decision.alternatives.map((alternative) => ['over', alternative] as const),
          ...fieldList({ by: decision.by, at: decision.at }),
        ],
        evidence: decision.evidence,
        unverified: decision.unverified === true,
      }),
    (text) => {
      const item = parseItem(text)
      return known({
        choice: item.main,
        topic: fieldOf(item, 'on'),
        rationale: fieldOf(item, 'because'),
        alternatives: fieldsOf(item, 'over'),
        by: fieldOf(item, 'by'),
        at: fieldOf(item, 'at'),
        evidence: item.evidence,
        ...flag(item),
      })
    },
  ),
  itemSection('Open questions', ['openQuestions'], (bundle) => bundle.openQuestions),
  itemSection('Blockers', ['workflow', 'blockers'], (bundle) => bundle.workflow.blockers),
  itemSection('Tasks remaining', ['workflow', 'tasksRemaining'], (bundle) => bundle.workflow.tasksRemaining),
  itemSection('Tasks completed', ['workflow', 'tasksCompleted'], (bundle) => bundle.workflow.tasksCompleted),
  itemSection('Findings', ['findings'], (bundle) => bundle.findings),
  textSection('Research decision', ['research', 'decision'], (bundle) => bundle.research?.decision),
  textSection('Approach', ['plan', 'approach'], (bundle) => bundle.plan?.approach),
  itemSection('Steps', ['plan', 'steps'], (bundle) => bundle.plan?.steps),
  itemSection('Risks', ['plan', 'risks'], (bundle) => bundle.plan?.risks),
  textSection('Current state', ['progress', 'currentState'], (bundle) => bundle.progress?.currentState),
  itemSection('Completed', ['progress', 'completed'], (bundle) => bundle.progress?.completed),
  itemSection('In progress', ['progress', 'inProgress'], (bundle) => bundle.progress?.inProgress),
  itemSection('Remaining', ['progress', 'remaining'], (bundle) => bundle.progress?.remaining),
  {
    title: 'Validation',
    write: ({ validation }) =>
      validation === undefined
        ? []
        : [
            formatItem({
              main: validation.status,
              fields: fieldList({ was: validation.result, run: validation.command }),
              evidence: validation.evidence,
            }),
          ],
    read: ([text = '']) => {
      const item = parseItem(text)
      return [
        [
          ['validation'],
          known({
            status: item.main,
            result: fieldOf(item, 'was'),
            command: fieldOf(item, 'run'),
            evidence: item.evidence,
          }),
        ],
      ]
    },
  },
  listSection(
    'Commits',
    ['git', 'commits'],
    (bundle) => bundle.git.commits,
    (commit) =>
      formatItem({
        main: commit.sha,
        fields: fieldList({ subject: commit.subject }),
        evidence: commit.evidence,
      }),
    (text) => {
      const item = parseItem(text)
      return known({ sha: item.main, subject: fieldOf(item, 'subject'), evidence: item.evidence })
    },
  ),
  listSection(
    'Files',
    ['files'],
    (bundle) => bundle.files,
    (file) =>
      formatItem({
        main: file.path,
        fields: fieldList({
          // A file that was only read needs no word: most of a list are such files, and words cost tokens.
          is: file.status === 'read' && changeOf(file) === '' ? undefined : `${file.status}${changeOf(file)}`,
          from: file.from,
          why: file.reason,
        }),
        evidence: file.evidence,
      }),
    (text) => {
      const item = parseItem(text)
      const [, status, added, removed] =
        /^([a-z]+)(?: \+(\d+))?(?: -(\d+))?$/.exec(fieldOf(item, 'is') ?? 'read') ?? []
      return known({
        path: item.main,
        status,
        from: fieldOf(item, 'from'),
        added: numberOf(added),
        removed: numberOf(removed),
        reason: fieldOf(item, 'why'),
        evidence: item.evidence,
      })
    },
  ),
  listSection(
    'Errors',
    ['errors'],
    (bundle) => bundle.errors,
    (error) =>
      formatItem({
        main: error.message,
        fields: fieldList({ solved: error.resolution }),
        evidence: error.evidence,
      }),
    (text) => {
      const item = parseItem(text)
      return known({ message: item.main, resolution: fieldOf(item, 'solved'), evidence: item.evidence })
    },
  ),
  listSection(
    'Commands',
    ['commands'],
    (bundle) => bundle.commands,
    (command) =>
      formatItem({
        main: command.command,
        fields: fieldList({ status: command.status, exit: command.exitCode }),
        evidence: command.evidence,
      }),
    (text) => {
      const item = parseItem(text)
      return known({
        command: item.main,
        status: fieldOf(item, 'status'),
        exitCode: numberOf(fieldOf(item, 'exit')),
        evidence: item.evidence,
      })
    },
  ),
  {
    title: 'Identifiers',
    write: ({ identifiers }) =>
      identifiers.length === 0
        ? []
        : [identifiers.map((name) => (/[\s,"]/.test(name) ? JSON.stringify(name) : name)).join(', ')],
    read: ([text = '']) => [
      [
        ['identifiers'],
        (text.match(/"(?:[^"\\]|\\.)*"|[^\s,"]+/g) ?? []).map((name) =>
          name.startsWith('"') ? JSON.parse(name) : name,
        ),
      ],
    ],
  },
  {
    title: 'Trail',
    write: (bundle) => formatTrail(bundle.trail),
    read: (lines) => [[['trail'], parseTrail(lines)]],
  },
  listSection(
    'Usage by agent',
    ['usage', 'byAgent'],
    (bundle) => bundle.usage.byAgent,
    ({ agent, ...usage }) => formatItem({ main: agent, fields: fieldList({ tokens: formatUsage(usage) }) }),
    (text) => usageItem('agent', text),
  ),
  listSection(
    'Usage by model',
    ['usage', 'byModel'],
    (bundle) => bundle.usage.byModel,
    ({ model, ...usage }) => formatItem({ main: model, fields: fieldList({ tokens: formatUsage(usage) }) }),
    (text) => usageItem('model', text),
  ),
  listSection(
    'Summarizer calls',
    ['compression', 'calls'],
    (bundle) => bundle.compression.calls,
    (call) =>
      formatItem({
        main: call.summarizer,
        fields: fieldList({
          model: call.model,
          for: call.purpose,
          tier: call.tier,
          request: call.requestId,
          stop: call.stop,
          ms: call.durationMs,
          error: call.error,
          tokens: formatUsage(call.usage),
        }),
      }),
    (text) => {
      const item = parseItem(text)
      return known({
        summarizer: item.main,
        model: fieldOf(item, 'model'),
        purpose: fieldOf(item, 'for'),
        tier: fieldOf(item, 'tier'),
        requestId: fieldOf(item, 'request'),
        stop: fieldOf(item, 'stop'),
        durationMs: numberOf(fieldOf(item, 'ms')),
        error: fieldOf(item, 'error'),
        usage: parseUsage(fieldOf(item, 'tokens') ?? ''),
      })
    },
  ),
  listSection(
    'Notes',
    ['notes'],
    (bundle) => bundle.notes,
    (note) =>
      formatItem({
        main: note.message,
        fields: fieldList({ code: note.code, file: note.file, line: note.line, count: note.count }),
      }),
    (text) => {
      const item = parseItem(text)
      return known({
        code: fieldOf(item, 'code'),
        message: item.main,
        file: fieldOf(item, 'file'),
        line: numberOf(fieldOf(item, 'line')),
        count: numberOf(fieldOf(item, 'count')),
      })
    },
  ),
]

/** Returns the line of an item in the list section with that title. */
export function itemLine(title: string, item: unknown): string {
  return sections.find((section) => section.title === title)?.line?.(item as never) ?? ''
}

function usageItem(key: string, text: string): Record<string, unknown> {
  const item = parseItem(text)
  return { [key]: item.main, ...parseUsage(fieldOf(item, 'tokens') ?? '') }
}
