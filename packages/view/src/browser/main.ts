import { createBundlePanel } from './bundle-panel.ts'
import { byId, element } from './dom.ts'
import { numberOf } from './format.ts'
import { drawHeader, drawNotes } from './header.ts'
import { createModel, type Model } from './model.ts'
import { createOutline } from './outline.ts'
import type { PageData, PageEvent, PageUpdate } from './page-data.ts'
import { followPlace } from './permalink.ts'
import { isFiltered, noFilters } from './rows.ts'
import { wireTheme } from './theme.ts'
import { createTimeline } from './timeline.ts'
import { createToolbar } from './toolbar.ts'

function start(): void {
  let data: PageData = JSON.parse(byId('data').textContent ?? '')
  let model: Model = createModel(data)
  let picked: number | undefined
  let shown = 0

  const toolbar = createToolbar(
    () => timeline.refresh(),
    () => timeline.stepStep(1),
  )
  const timeline = createTimeline({
    filters: () => toolbar.filters,
    clearFilters: () => toolbar.set(noFilters),
    pick,
    onView: (turn) => outline.mark(turn?.key),
    onCount(steps, filtered) {
      byId('status').textContent = filtered ? numberOf(steps, 'step') : ''
      byId('clear').hidden = !filtered
      byId('nothing').hidden = steps > 0
    },
  })
  const outline = createOutline((key) => {
    timeline.goToTurn(key)
    closeDrawers()
  })
  const panel = createBundlePanel({ pick, goTo: (index) => timeline.goTo(index, true) })
  const nextTheme = wireTheme()
  const help = wireDialog('help', 'help-button')
  wireDialog('notes', 'notes-button')

  /** Shows the evidence of a statement; selected again, its next event. */
  function pick(number: number): void {
    const statement = model.statements[number]
    if (statement === undefined) return
    const places = statement.evidence.filter((index) => model.itemOf.has(index))
    shown = number === picked ? (shown + 1) % Math.max(1, places.length) : 0
    picked = number
    timeline.setEvidence(places)
    const event = places[shown]
    panel.mark(statement, event)
    if (event === undefined) return
    if (isNarrow()) closeDrawers()
    timeline.goTo(event, true)
  }

  function stepStatement(by: 1 | -1): void {
    if (document.body.classList.contains('no-bundle')) showDrawer('bundle')
    const cites = (number: number): boolean =>
      model.statements[number]?.evidence.some((index) => model.itemOf.has(index)) === true
    const total = model.statements.length
    let number = (picked ?? (by === 1 ? -1 : total)) + by
    while (number >= 0 && number < total && !cites(number)) number += by
    if (number >= 0 && number < total) pick(number)
  }

  function unpick(): void {
    picked = undefined
    timeline.setEvidence([])
    panel.mark(undefined, undefined)
  }

  function draw(changed: readonly number[]): void {
    drawHeader(model)
    drawNotes(model)
    toolbar.draw(model)
    outline.draw(model)
    timeline.setModel(model, changed)
  }

  function update({ session, events, count, revision }: PageUpdate): void {
    const next: PageEvent[] = data.events.slice(0, count)
    for (const [index, event] of events) next[index] = event
    data = { ...data, session, events: next, revision }
    model = createModel(data)
    draw(events.map(([index]) => index))
  }

  if (data.bundle === undefined) {
    document.body.classList.add('no-bundle')
    byId('bundle-button').hidden = true
  }
  for (const name of ['outline', 'bundle'] as const)
    byId(`${name}-button`).addEventListener('click', () => showDrawer(name))
  wireKeys([
    ['j k', 'next, previous turn', timeline.stepTurn],
    ['J K', 'next, previous step', timeline.stepStep],
    ['Enter', 'unfold or fold', timeline.toggleCurrent],
    ['e E', 'next, previous failure', timeline.stepFailure],
    ['] [', 'next, previous statement of the bundle', stepStatement],
    ['/', 'search', toolbar.focusSearch],
    ['Escape', 'show everything again', goBack],
    ['o b', 'turns, bundle: show or hide', (by) => showDrawer(by === 1 ? 'outline' : 'bundle')],
    ['t', 'light or dark', nextTheme],
    ['?', 'this help', help.toggle],
  ])

  function goBack(): void {
    if (document.activeElement === byId('search')) byId('timeline').focus()
    if (closeDrawers()) return
    if (isFiltered(toolbar.filters)) toolbar.set(noFilters)
    else unpick()
  }

  panel.draw(model)
  draw([])
  byId('timeline').focus({ preventScroll: true })
  followPlace((id) => {
    const index = data.events.findIndex((event) => event.id === id)
    if (index !== -1) timeline.goTo(index, true)
  })
  document.documentElement.setAttribute('data-ready', 'true')
  if (data.revision !== undefined) follow(data.revision, update)
}

function isNarrow(): boolean {
  return matchMedia('(max-width: 1100px)').matches
}

/** Toggles a side panel: hides it if there is room for it, otherwise lays it over the timeline. */
function showDrawer(name: 'outline' | 'bundle'): void {
  const { classList } = document.body
  if (isNarrow()) {
    const other = name === 'bundle' ? 'outline' : 'bundle'
    classList.remove(`show-${other}`)
    classList.toggle(`show-${name}`)
  } else classList.toggle(`no-${name}`)
}

function closeDrawers(): boolean {
  const { classList } = document.body
  const any = classList.contains('show-outline') || classList.contains('show-bundle')
  classList.remove('show-outline', 'show-bundle')
  return any
}

/** Follows a log that is served: calls `onUpdate` with what changed since `revision`. */
function follow(revision: number, onUpdate: (update: PageUpdate) => void): void {
  const badge = byId('live')
  const show = (state: string, text: string): void => {
    badge.hidden = false
    badge.setAttribute('data-state', state)
    badge.textContent = text
  }
  let known = revision
  show('wait', 'Connecting')
  const source = new EventSource(`events?after=${revision}`)
  source.addEventListener('open', () => show('on', 'Live'))
  source.addEventListener('error', () => show('off', 'Not connected'))
  source.addEventListener('update', ({ data }: MessageEvent<string>) => {
    const update: PageUpdate = JSON.parse(data)
    // A line that arrives twice after a lost connection changes nothing.
    if (update.revision <= known) return
    known = update.revision
    onUpdate(update)
  })
  // The log was replaced, or the server is a new one: the shown data is useless.
  source.addEventListener('reload', () => location.reload())
}

type KeyAction = (by: 1 | -1) => void

/** The first key of an action steps forwards, the second one backwards. Help lists them. */
function wireKeys(table: readonly (readonly [keys: string, meaning: string, action: KeyAction])[]): void {
  const actions = new Map<string, () => void>()
  for (const [keys, meaning, action] of table) {
    const [next = '', previous] = keys.split(' ')
    actions.set(next, () => action(1))
    if (previous !== undefined) actions.set(previous, () => action(-1))
    const caps = keys.split(' ').flatMap((key) => [element('kbd', {}, key), ' '])
    byId('keys').append(element('div', {}, element('dt', {}, ...caps), element('dd', {}, meaning)))
  }
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const isOn = (kind: string) => event.target instanceof Element && event.target.closest(kind) !== null
    if (isOn('input, select, textarea') && event.key !== 'Escape') return
    if (document.querySelector('dialog[open]') !== null && event.key !== '?') return
    // Enter on a button belongs to the button.
    if (event.key === 'Enter' && isOn('button, summary')) return
    const action = actions.get(event.key)
    if (action === undefined) return
    event.preventDefault()
    action()
  })
}

function wireDialog(dialogId: string, openerId: string): { toggle(): void } {
  const dialog = byId(dialogId) as HTMLDialogElement
  const toggle = (): void => (dialog.open ? dialog.close() : dialog.showModal())
  byId(openerId).addEventListener('click', toggle)
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('.dismiss'))) dialog.close()
  })
  return { toggle }
}

start()
