import { button, byId, element } from './dom.ts'
import { count } from './format.ts'
import { agentName, type Model } from './model.ts'
import { type Filters, type Group, groupOf, groups, noFilters } from './rows.ts'

export function createToolbar(onChange: () => void, onEnter: () => void) {
  const search = byId('search') as HTMLInputElement
  const agents = byId('agents') as HTMLSelectElement
  const chips = byId('groups')
  let filters = noFilters
  let waiting: number | undefined

  const change = (next: Filters): void => {
    filters = next
    mark()
    onChange()
  }
  search.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => change({ ...filters, query: search.value.trim() }), 120)
  })
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    onEnter()
  })
  agents.addEventListener('change', () => {
    change({ ...filters, agent: agents.value === '' ? undefined : Number(agents.value) })
  })
  byId('failed').addEventListener('click', () => change({ ...filters, failed: !filters.failed }))
  byId('kept').addEventListener('click', () => change({ ...filters, kept: !filters.kept }))
  byId('clear').addEventListener('click', () => {
    search.value = ''
    change(noFilters)
  })

  function mark(): void {
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', String(filters.groups.has(chip.getAttribute('data-group') as Group)))
    byId('failed').setAttribute('aria-pressed', String(filters.failed))
    byId('kept').setAttribute('aria-pressed', String(filters.kept))
    agents.value = String(filters.agent ?? '')
  }

  /** The first press shows only that group, which is what users mostly want. */
  function toggle(group: Group): void {
    const all = filters.groups.size === groups.length
    const next = new Set(all ? [group] : filters.groups)
    if (!all) {
      if (next.has(group)) next.delete(group)
      else next.add(group)
    }
    change({ ...filters, groups: next.size === 0 ? new Set(groups) : next })
  }

  return {
    get filters() {
      return filters
    },
    set(next: Filters) {
      search.value = next.query
      change(next)
    },
    focusSearch() {
      search.focus()
      search.select()
    },
    draw({ data, itemOf }: Model) {
      const sizes = new Map<Group, number>()
      for (const item of new Set(itemOf.values())) {
        const event = data.events[item.index]
        if (event === undefined) continue
        const group = groupOf(item, event)
        sizes.set(group, (sizes.get(group) ?? 0) + 1)
      }
      const present = groups.filter((group) => (sizes.get(group) ?? 0) > 0)
      chips.replaceChildren(
        ...present.map((group) =>
          button(
            { class: 'toggle', 'data-group': group, 'aria-pressed': 'true' },
            () => toggle(group),
            `${group.slice(0, 1).toUpperCase()}${group.slice(1)} `,
            element('span', { class: 'count' }, count(sizes.get(group) ?? 0)),
          ),
        ),
      )
      const options = data.session.agents.map((agent, index) =>
        element('option', { value: index }, index === 0 ? 'Main agent' : agentName(agent)),
      )
      agents.replaceChildren(element('option', { value: '' }, 'All agents'), ...options)
      agents.hidden = options.length < 2
      byId('kept').hidden = data.bundle === undefined
      mark()
    },
  }
}
