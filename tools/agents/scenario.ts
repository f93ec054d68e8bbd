import { join } from 'node:path'
import type { DrivenAgent, Surroundings } from './agent-list.ts'
import type { ScriptedCall, ScriptedStep } from './stand-in.ts'

/** What is said in the sessions: the checks look for it in what is left of them. */
export const said = {
  rules: [
    'Never touch config/prod.env',
    'Die Kommentare im Code bleiben bitte auf Deutsch',
    'Fass check.mjs niemals an',
  ],
  /** For today only, so no rule. */
  today: 'jetzt nur die Summe',
  decision: 'integer cents, not floats',
  answer: 'Use a RangeError',
  question: 'Should its message be in German or in English?',
  next: 'write src/stock.mjs',
  commit: 'Add the sum',
  failing: 'must not be below zero',
  check: 'node check-stock.mjs',
  checkpoint: 'Weigh the apples',
  file: 'docs/Größen Liste.md',
} as const

/** How a session ends. */
type Ending = 'by itself' | 'SIGKILL' | 'SIGINT' | 'terminal closed'

export interface ScriptedSession {
  readonly name: string
  readonly prompt: string
  readonly ending: Ending
  /** Goes on with the session before. */
  readonly resumed?: true
  readonly steps: readonly ScriptedStep[]
  /** Steps of its subagent. */
  readonly subagent: readonly ScriptedStep[]
}

export const task = 'Count the TODO comments of this folder and report the number.'

const step = (text: string, call?: ScriptedCall): ScriptedStep => ({
  text,
  ...(call !== undefined && { call }),
})

/** The sessions, in their order. `started` is a file that a command makes which then runs on until the session is ended. */
export function scenario(
  agent: DrivenAgent,
  { project }: Surroundings,
  started: string,
): readonly ScriptedSession[] {
  const run = (text: string, command: string) => step(text, agent.shell(command))
  const write = (path: string, content: string) =>
    step(`I write ${path}.`, agent.write(join(project, path), content))
  const session = (
    name: string,
    prompt: string,
    steps: readonly ScriptedStep[],
    more: Partial<ScriptedSession> = {},
  ): ScriptedSession => ({ name, prompt, steps, ending: 'by itself', subagent: [], ...more })

  const { calls = () => [], report } = agent.subagent ?? {}
  const found = 'There are 0 TODO comments in this folder.'
  const long = session(
    'long',
    `Write src/sum.mjs so that the check passes (decided with Ana: ${said.decision}, because floats lose pennies). ${said.rules.join('. ')}. Das Lager machen wir morgen; ${said.today}.`,
    [
      write('src/sum.mjs', 'export const sum = (a, b) => a - b\n'),
      ...calls(task).map((call) => step('A subagent counts the comments.', call)),
      run('I run the check.', 'node check.mjs'),
      run('The sign is wrong.', "sed -i 's/a - b/a + b/' src/sum.mjs"),
      run('I run it again.', 'node check.mjs'),
      write(said.file, '# Größen\n'),
      run('I read it.', `cat '${said.file}'`),
      run('I rename the index.', 'git mv src/index.mjs src/main.mjs'),
      run('I commit.', `git add -A && git commit -q -m '${said.commit}' && git log --oneline | head -1`),
      run('Now the stock.', said.check),
      run('Is it mentioned?', 'grep -n stock check.mjs'),
      step(
        `The sum is right and its check passes. The check of the stock fails: the stock ${said.failing}. What should reserve() do when there is too little stock: throw, or return false? Next step: ${said.next}.`,
      ),
    ],
    {
      subagent: [
        run('I count them.', 'grep -rn TODO . --include=*.mjs | wc -l'),
        ...(report === undefined ? [] : [step('', report(found))]),
        step(found),
      ],
    },
  )
  const resumed = session(
    'resumed',
    `${said.answer}.`,
    [
      run('I look at the state.', 'git status --short'),
      step(
        `reserve() will throw a RangeError. ${said.question} The check of the stock still fails. Next step: ${said.next}.`,
      ),
    ],
    { resumed: true },
  )
  const look = (name: string, ...calls: ScriptedCall[]) =>
    session(name, 'Where were we?', [
      run('I look at the state.', 'git status --short'),
      ...calls.map((call) => step('I ask for more.', call)),
      step('We were at the stock.'),
    ])
  const broken = (name: string, path: string, ending: Ending) =>
    session(
      name,
      `Write ${path}. Never rename ${path}.`,
      [
        write(path, 'export {}\n'),
        ...(ending === 'terminal closed'
          ? []
          : [run('This takes a while.', `touch '${started}' && node -e 'setTimeout(() => {}, 25000)'`)]),
        step(`${path} is written.`),
      ],
      { ending },
    )
  const plain = (name: string, prompt: string) =>
    session(name, prompt, [
      run('I compute.', `node -p "6 * 7 + '-went-through'"`),
      run('Once more.', `node -p "8 * 8 + '-went-through'"`),
      step('Both commands ran.'),
    ])
  return [
    ...(typeof agent.resumed === 'string' ? [long] : [long, resumed]),
    look(
      'look',
      ...[agent.mcp('list', {}), agent.mcp('resume', {}), agent.mcp('show', {})],
      agent.mcp('recall', { query: said.failing }),
    ),
    look('look again', agent.mcp('recall', { query: said.failing })),
    broken('killed', 'src/killed.mjs', 'SIGKILL'),
    look('after the kill'),
    broken('interrupted', 'src/interrupted.mjs', 'SIGINT'),
    look('after the interrupt'),
    ...(typeof agent.terminal === 'string' ? [] : [broken('closed', 'src/closed.mjs', 'terminal closed')]),
    look('after the closed terminal'),
    plain('first of two', 'Write the left side. Never delete src/left.mjs.'),
    plain('second of two', 'Write the right side. Never delete src/right.mjs.'),
    look(
      'after the two',
      ...[agent.mcp('checkpoint', { step: said.checkpoint }), agent.mcp('checkpoint_latest', {})],
    ),
    plain('without tenfold', 'Compute two numbers without it.'),
    plain('with a broken tenfold', 'Compute two numbers with a broken one.'),
    plain('with a hanging tenfold', 'Compute two numbers with a hanging one.'),
  ]
}
