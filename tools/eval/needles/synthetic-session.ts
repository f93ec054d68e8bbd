import { pick, seededRandom } from '../random.ts'

const needleKinds = ['id', 'port', 'flag', 'path', 'decision', 'rule', 'error'] as const
type NeedleKind = (typeof needleKinds)[number]

/** A fact planted in a log. It is kept if one statement has all of `parts`; for a rule, the whole sentence. */
export interface Needle {
  readonly kind: NeedleKind
  readonly by: 'user' | 'assistant' | 'tool'
  readonly place: 'early' | 'middle' | 'late'
  readonly sentence: string
  readonly parts: readonly string[]
  /** How one who lacks the fact asks for it. */
  readonly query: string
}

export interface SyntheticSession {
  /** A Claude Code log, JSONL. */
  readonly log: Uint8Array
  readonly needles: readonly Needle[]
  /** A file that was created and then deleted, if the session is long enough. */
  readonly deletedFile?: string
  /** Text of a failure whose command passed later. */
  readonly fixedError?: string
}

const nouns =
  'parser cache index router session ledger queue schema worker token buffer layout report filter stream'.split(
    ' ',
  )
const verbs =
  'reads checks returns keeps splits merges sends stores renders counts loads writes skips wraps sorts'.split(
    ' ',
  )
const extras = 'twice later again first slowly early here quietly inside outside'.split(' ')

/** A session of about `events` events made from a seed: its truth is known exactly. */
export function syntheticSession(seed: number, events: number): SyntheticSession {
  const random = seededRandom(seed)
  const records: object[] = []
  const needles: Needle[] = []
  const most = Math.min(20, Math.max(3, Math.round(events / 4)))
  const turns = Math.max(1, Math.round(events / 12))
  const code = () => `${pick(nouns, random)}-${1000 + Math.floor(random() * 9000)}`
  const sentence = () =>
    `The ${pick(nouns, random)} ${pick(verbs, random)} the ${pick(nouns, random)} ${pick(extras, random)}.`
  const prose = (count: number) => Array.from({ length: count }, sentence).join(' ')
  const output = (lines: number) =>
    Array.from(
      { length: lines },
      (_, at) => `${at + 1}: ${code()} ${prose(1 + Math.floor(random() * 2))}`,
    ).join('\n')
  const add = (role: 'user' | 'assistant', content: unknown) => {
    const at = records.length
    records.push({
      type: role,
      uuid: uuid(seed, at),
      parentUuid: at === 0 ? null : uuid(seed, at - 1),
      sessionId: uuid(seed, 99_999),
      isSidechain: false,
      userType: 'external',
      version: '2.1.45',
      cwd: '/home/dev/orbit',
      gitBranch: 'main',
      timestamp: new Date(Date.UTC(2026, 0, 5) + at * 7000).toISOString(),
      message:
        role === 'user'
          ? { role, content }
          : { role, model: 'claude-sonnet-4-5', id: `msg_${seed}_${at}`, type: 'message', content },
    })
  }
  const call = (name: string, input: object, text: string, failed = false) => {
    const id = `toolu_${seed}_${records.length}`
    add('assistant', [{ type: 'tool_use', id, name, input }])
    add('user', [
      { type: 'tool_result', tool_use_id: id, content: text, ...(failed ? { is_error: true } : {}) },
    ])
  }
  const plant = (kind: NeedleKind, by: Needle['by'], turn: number) => {
    const needle = { kind, by, place: placeOf(turn, turns), ...needleText(kind, code, random) }
    needles.push(needle)
    return needle.sentence
  }
  /** Kinds in a fixed order over the turns, so that all lengths have rules and decisions. */
  const planted = planOf(most, turns, random)

  const deletedFile = events >= 20 ? `src/${code()}.ts` : undefined
  const fixed = events >= 20 ? code() : undefined
  const fixedError = fixed === undefined ? undefined : `Error: expected ${fixed} to be closed`
  for (let turn = 0; turn < turns; turn++) {
    const mine = planted.filter((plan) => plan.turn === turn)
    const words = mine.filter((plan) => plan.by === 'user').map((plan) => plant(plan.kind, 'user', turn))
    add('user', [prose(2), ...words, `Please look at the ${pick(nouns, random)} next.`].join(' '))
    const said = mine
      .filter((plan) => plan.by === 'assistant')
      .map((plan) => plant(plan.kind, 'assistant', turn))
    if (turn === 0 && deletedFile !== undefined) {
      call(
        'Write',
        { file_path: `/home/dev/orbit/${deletedFile}`, content: output(12) },
        `File created successfully at: /home/dev/orbit/${deletedFile}`,
      )
      call('Bash', { command: `npm run verify-${fixed}` }, `Exit code 1\n${output(3)}\n${fixedError}`, true)
    }
    if (turn === turns - 1 && deletedFile !== undefined) {
      call('Bash', { command: `rm ${deletedFile}` }, '')
      call('Bash', { command: `npm run verify-${fixed}` }, 'all checks passed')
    }
    const steps = Math.max(1, Math.round((events / turns - 2) / 2))
    for (let step = 0; step < steps && records.length < events - 1; step++)
      work(call, code, output, prose, random)
    if (turn === turns - 1 && events >= 20)
      call(
        'Bash',
        { command: `make ${pick(nouns, random)}` },
        `Exit code 2\n${plant('error', 'tool', turn)}`,
        true,
      )
    add('assistant', [{ type: 'text', text: [prose(2), ...said, prose(1)].join(' ') }])
  }
  const log = new TextEncoder().encode(`${records.map((record) => JSON.stringify(record)).join('\n')}\n`)
  return {
    log,
    needles,
    ...(deletedFile === undefined ? {} : { deletedFile }),
    ...(fixedError === undefined ? {} : { fixedError }),
  }
}

function placeOf(turn: number, turns: number): Needle['place'] {
  const at = (turn + 0.5) / turns
  return at < 1 / 3 ? 'early' : at < 2 / 3 ? 'middle' : 'late'
}

function planOf(most: number, turns: number, random: () => number) {
  const kinds = ['rule', 'decision', 'id', 'port', 'flag', 'path'] as const
  return Array.from({ length: most }, (_, at) => {
    const kind = kinds[at % kinds.length] ?? 'id'
    const byUser = kind === 'rule' || kind === 'decision' || random() < 0.6
    return {
      kind,
      turn: Math.floor(random() * turns),
      by: byUser ? ('user' as const) : ('assistant' as const),
    }
  })
}

function needleText(
  kind: NeedleKind,
  code: () => string,
  random: () => number,
): { sentence: string; parts: string[]; query: string } {
  const name = code()
  const number = String(10_000 + Math.floor(random() * 50_000))
  const rule = `Never write to the folder vendor/${name} by hand.`
  const texts: Record<NeedleKind, readonly [sentence: string, parts: string[], query: string]> = {
    id: [`The ticket for this is ORB-${number}.`, [`ORB-${number}`], 'which ticket is this for'],
    port: [
      `The ${name} service listens on port ${number}.`,
      [name, number],
      `which port does ${name} listen on`,
    ],
    flag: [`It has to run with --${name}=on there.`, [`--${name}`], 'which flag does it have to run with'],
    path: [
      `The settings for it are in deploy/${name}/settings.yaml now.`,
      [`deploy/${name}/settings.yaml`],
      'where are the settings for it',
    ],
    decision: [
      `Let's use SQLite instead of Redis for the ${name}.`,
      ['SQLite', name],
      `what was decided instead of Redis for ${name}`,
    ],
    rule: [rule, [rule], 'which folder must never be written by hand'],
    error: [
      `error: undefined symbol orbit_${number} in ${name}.o`,
      [`orbit_${number}`],
      'undefined symbol error of make',
    ],
  }
  const [sentence, parts, query] = texts[kind]
  return { sentence, parts, query }
}

function work(
  call: (name: string, input: object, text: string) => void,
  code: () => string,
  output: (lines: number) => string,
  prose: (count: number) => string,
  random: () => number,
): void {
  const file = `/home/dev/orbit/src/${code()}.ts`
  const kind = Math.floor(random() * 4)
  if (kind === 0) call('Read', { file_path: file }, output(20 + Math.floor(random() * 40)))
  else if (kind === 1)
    call('Grep', { pattern: code(), path: '/home/dev/orbit/src' }, output(5 + Math.floor(random() * 10)))
  else if (kind === 2)
    call(
      'Edit',
      { file_path: file, old_string: prose(2), new_string: prose(3) },
      `The file ${file} has been updated.`,
    )
  else call('Bash', { command: `node scripts/${code()}.js` }, output(10 + Math.floor(random() * 20)))
}

function uuid(seed: number, at: number): string {
  return `00000000-0000-4000-8000-${seed.toString(16).padStart(4, '0')}${at.toString(16).padStart(8, '0')}`
}
