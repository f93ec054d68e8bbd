import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { isHarnessText } from '../../session/harness-text.ts'
import { isAbsolutePath } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { isSpilledOutput, type PathNormalizer } from '../log-path.ts'

/**
 * Where a rule may be. `instructions`: a file that instructs agents and people. `issue`: an issue, a plan that a
 * program printed. `harness`: a hook, a slash command. `code`: only comments count. `document`: a specification or any
 * other file, which describes a product: one in eight of its statements is a rule, so only a model picks from it.
 */
export type RuleOrigin = 'instructions' | 'issue' | 'harness' | 'code' | 'document'

/** A text that the session read and that may contain rules of the project. */
export interface RuleText {
  readonly origin: RuleOrigin
  /** Name of the file, issue, hook or command. */
  readonly source: string
  readonly event: EventId
  readonly text: string
  /** Absolute path of a file outside the session's folder. */
  readonly outside?: string
}

const instructions =
  /(?:^|\/)(?:CLAUDE|AGENTS?|GEMINI|CONTRIBUTING|CONVENTIONS|HACKING|STYLE_?GUIDE|copilot-instructions)(?:\.[\w-]{1,20})?\.md$|(?:^|\/)\.\w+\/(?:agents|rules)\/[^/]{1,200}\.md$|(?:^|\/)\.(?:cursor|windsurf|cline)\/?rules(?:\/|$)|\.mdc$|(?:^|\/)memory\/[^/]{1,200}\.md$/i
const documents = /\.(?:md|rst|adoc|txt)$/i
const code =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|kts|scala|swift|php|cs|fs|cc?|cpp|cxx|hh?|hpp|m|mm|ex|exs|erl|clj|hs|ml|lua|pl|r|jl|dart|zig|sol|sh|bash|zsh|ps1|sql|tf|ya?ml|toml|ini|vue|svelte|css|scss)$|(?:^|\/)(?:Makefile|Dockerfile|Justfile)$/i

/** Whether the source of a rule, such as `CLAUDE.md`, instructs the agents of a project. */
export function isInstructions(source: string): boolean {
  return instructions.test(source) || source === 'repository memories'
}

/** Returns the kind of text in a file, by its name; undefined for data, logs and the like. */
function originOf(path: string): RuleOrigin | undefined {
  const slashed = path.replaceAll('\\', '/')
  // A skill serves any project; rules of a dependency bind its own work.
  if (/(?:^|\/)(?:SKILL\.md|node_modules\/|site-packages\/|vendor\/)|CHANGELOG/i.test(slashed))
    return undefined
  if (isInstructions(slashed)) return 'instructions'
  // A history of sessions written by SpecStory.
  if (/(?:^|\/)\.specstory\//.test(slashed) || isSpilledOutput(slashed)) return undefined
  if (documents.test(slashed)) return 'document'
  return code.test(slashed) ? 'code' : undefined
}

/** Returns the texts of a session that may contain rules, in order. Web pages and output of other commands are left out. */
export function ruleTexts(
  events: readonly SessionEvent[],
  uses: readonly ToolUse[],
  normalize: PathNormalizer,
): RuleText[] {
  const texts: RuleText[] = []
  let command: RuleText[] = []
  let ofThisRequest = false
  let typed = false
  for (const event of events) {
    if (event.agent === 'main' && event.type !== 'context') typed = event.type === 'user'
    if (event.type === 'user') {
      ofThisRequest = false
      if (!event.text.startsWith('/')) command = []
    }
    if (event.type !== 'context' || event.copied === true || event.inContext === false) continue
    const { name = '', origin, id, text } = event
    const path = /^(?:[a-z]:)?[^\s:]{1,300}(?=[:\n])/i.exec(text)?.[0]
    const file = [name, ...(path === undefined ? [] : [path])].find((each) => originOf(each) !== undefined)
    if (file !== undefined) {
      texts.push({ origin: originOf(file) as RuleOrigin, source: baseName(file), event: id, text })
    } else if (name === 'nested_memory' || name === 'claudeMd') {
      const named = /[\w./\\-]{0,200}(?:CLAUDE|AGENTS|GEMINI)(?:\.\w+)?\.md/.exec(text.slice(0, 2000))?.[0]
      const source = named === undefined ? name : baseName(named)
      texts.push({ origin: 'instructions', source, event: id, text })
    } else if (memories.test(text)) {
      const [, section = ''] = memories.exec(text) ?? []
      texts.push({
        origin: 'instructions',
        source: 'repository memories',
        event: id,
        text: section.replace(/^- Fact: /gm, '- ').replace(/^- Citations: .*$/gm, ''),
      })
    } else if (origin === 'hook' && text.length < longHook && !isHarnessText(event)) {
      texts.push({ origin: 'harness', source: hookSource, event: id, text })
    } else if (
      // A skill that the agent starts on its own serves any project.
      (name.startsWith('/') || (name === 'meta' && typed)) &&
      text.length >= shortCommand &&
      !skill.test(text)
    ) {
      // The demands of a command hold until the user requests something else.
      if (!ofThisRequest) command = []
      ofThisRequest = true
      command.push({ origin: 'harness', source: name === 'meta' ? 'a command' : name, event: id, text })
    }
  }
  texts.push(...command)
  const rewritten = lastRewrites(uses)
  for (const use of uses) {
    const path = pathOf(use)
    // Content of a file before it was rewritten no longer holds.
    if (path === undefined || eventIndex(use.call.id) >= (rewritten.get(path) ?? 0))
      texts.push(...textsOfUse(use, normalize))
  }
  return texts
}

function lastRewrites(uses: readonly ToolUse[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const use of uses) {
    const path = pathOf(use)
    const isWhole = textAt(use.call.input, 'content', 'file_text', 'contents') !== undefined
    if (path !== undefined && use.call.kind === 'edit' && isWhole && isDone(use))
      last.set(path, eventIndex(use.call.id))
  }
  return last
}

function pathOf({ call }: ToolUse): string | undefined {
  return textAt(call.input, 'file_path', 'filePath', 'absolute_path', 'target_file', 'path')
}

/** What an agent remembers of a repository across sessions, within its system prompt; a closing tag ends it. */
const memories = /^#{1,4} [^\n]{0,60}\bmemories\b[^\n]{0,100}\n((?:(?!<\/)[^#]){1,20000})/im

/** Source of the rules that hooks print. */
export const hookSource = 'a hook'

/** Minimum length of a command's text; a shorter one is a remark of the harness. */
const shortCommand = 200

/** A skill serves any project. */
const skill = /^Base directory for this skill:/

/** Longer output of a hook is a log or a listing. */
const longHook = 2000

function textsOfUse(use: ToolUse, normalize: PathNormalizer): RuleText[] {
  const { call, result, outcome } = use
  const path = pathOf(use)
  if (call.kind === 'edit') {
    const origin = path === undefined ? undefined : originOf(path)
    const text = textAt(call.input, 'content', 'new_string', 'file_text', 'new_str', 'newString', 'contents')
    if (origin !== 'instructions' || path === undefined || text === undefined || outcome === 'error')
      return []
    return [{ origin, ...sourceOf(path, normalize), event: call.id, text }]
  }
  if (result === undefined || outcome !== 'ok') return []
  const shown = call.kind === 'read' ? path : shownFile(textAt(call.input, 'command', 'cmd', 'script'))
  if (shown !== undefined) {
    const origin = originOf(shown)
    return origin === undefined
      ? []
      : [{ origin, ...sourceOf(shown, normalize), event: result.id, text: result.text }]
  }
  const command = textAt(call.input, 'command', 'cmd')
  const source = issueOf(command) ?? writerOf(command, result.text)
  return source === undefined ? [] : [{ origin: 'issue', source, event: result.id, text: result.text }]
}

/** Returns the program that printed a document: `marvin work`. Text from a network is not a rule of a project. */
function writerOf(command: string | undefined, output: string): string | undefined {
  const [, program, subcommand] =
    /^([\w.-]{2,40})(?: ([a-z][\w-]{1,40}))?(?: [^|;&<>]{0,400})?$/.exec((command ?? '').trim()) ?? []
  const headings = output.slice(0, 50_000).match(/^#{1,4} \S/gm) ?? []
  if (program === undefined || notWriters.test(program) || headings.length < 3) return undefined
  return `output of ${subcommand === undefined ? program : `${program} ${subcommand}`}`
}

/** Programs that fetch from a network, or print files of any kind, logs and listings. */
const notWriters =
  /^(?:curl|wget|http|https|xh|lynx|w3m|ssh|scp|cat|head|tail|sed|awk|nl|less|more|bat|grep|rg|ag|find|ls|tree|git|gh|glab|npm|npx|pnpm|yarn|bun|bunx|node|deno|python\d?|uv|pip\d?|docker|kubectl|psql|sqlite3|make|cargo|go|tsc|echo|printf)$/

/** Returns the one file that a command prints: `cat a.md`, `sed -n 1,80p a.md`. */
function shownFile(command: string | undefined): string | undefined {
  const [, file] =
    /^(?:cd [^&;|]{1,200}&& ?)?(?:cat|head|tail|nl|less|bat|sed)\s(?:-\S+\s+|\d+\s+|'[^']{1,60}'\s+|"[^"]{1,60}"\s+|[\d,]+p\s+){0,6}["']?([^\s"'|;&<>]{1,300})["']?\s*(?:\||$)/.exec(
      (command ?? '').trim().slice(0, 1000),
    ) ?? []
  return file
}

/** Returns the issue requested from a tracker: `issue 12`, `bd-4f`. */
function issueOf(command: string | undefined): string | undefined {
  const [, kind, name] =
    /\b(?:gh|glab)\s+(issue|pr|mr)\s+view\s+#?([\w./-]{1,60})/.exec((command ?? '').slice(0, 1000)) ?? []
  if (kind !== undefined) return `${kind} ${name}`
  return /\b(?:bd|linear|jira)\s+(?:issue\s+)?(?:show|view)\s+([\w./-]{1,60})/.exec(
    (command ?? '').slice(0, 1000),
  )?.[1]
}

function sourceOf(path: string, normalize: PathNormalizer): Pick<RuleText, 'source' | 'outside'> {
  const short = normalize(path) ?? path
  // A path outside the project reveals much of the machine and helps little.
  return isAbsolutePath(short) ? { source: baseName(short), outside: short } : { source: short }
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}
