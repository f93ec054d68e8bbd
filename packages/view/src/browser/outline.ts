import { button, byId, element } from './dom.ts'
import { count, numberOf, oneLine } from './format.ts'
import type { Model } from './model.ts'
import { tokenCount } from './row-view.ts'

export function createOutline(go: (key: string) => void) {
  const list = byId('turns')
  let items = new Map<string, HTMLElement>()
  let current: HTMLElement | undefined

  return {
    draw(model: Model) {
      items = new Map()
      current = undefined
      for (const turn of model.turns) {
        const prompt = turn.prompt === undefined ? undefined : model.data.events[turn.prompt]?.text
        const text = prompt === undefined ? '' : oneLine(prompt, 90)
        const marks = [
          turn.failed > 0 && element('i', { class: 'bad', title: `${count(turn.failed)} failed` }, '•'),
          turn.compactions > 0 &&
            element('i', { class: 'warn', title: numberOf(turn.compactions, 'compaction') }, '•'),
        ]
        const item = button(
          { class: `entry${turn.replayed ? ' replayed' : ''}` },
          () => go(turn.key),
          element('span', { class: 'number' }, turn.number === 0 ? '·' : String(turn.number)),
          element(
            'span',
            { class: 'text' },
            text || (turn.number === 0 ? 'Before the first prompt' : 'No prompt'),
          ),
          ...marks,
          tokenCount(turn.tokens),
        )
        items.set(turn.key, item)
      }
      list.replaceChildren(...[...items.values()].map((item) => element('li', {}, item)))
    },
    mark(key: string | undefined) {
      const next = key === undefined ? undefined : items.get(key)
      if (next === current) return
      current?.removeAttribute('aria-current')
      next?.setAttribute('aria-current', 'true')
      next?.scrollIntoView({ block: 'nearest' })
      current = next
    },
  }
}
