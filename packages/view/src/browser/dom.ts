// Elements are created one by one, and text becomes text: nothing of a log is ever parsed as HTML.

export type Child = Node | string | undefined | false

/** Attributes of an element; `undefined` and `false` leave one out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  setAttributes(made, attributes)
  return append(made, ...children)
}

export function append<E extends Element>(parent: E, ...children: readonly Child[]): E {
  for (const child of children) if (child !== undefined && child !== false) parent.append(child)
  return parent
}

function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) target.setAttribute(name, value === true ? '' : String(value))
}

/** A button that does not submit. */
export function button(
  attributes: Attributes,
  onClick: (event: MouseEvent) => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, ...children)
  made.addEventListener('click', onClick)
  return made
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}

const paths: ReadonlyMap<string, string> = new Map([
  ['read', 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4'],
  ['edit', 'M10.5 3 13 5.5 6 12.5l-3 .5.5-3zM9 4.5 11.5 7'],
  ['delete', 'M3.5 4.5h9M6.5 4.5v-2h3v2M5 4.5l.5 9h5l.5-9'],
  ['move', 'M2.5 8h10M9 4.5 12.5 8 9 11.5'],
  ['search', 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5'],
  ['execute', 'M3 4.5 6.5 8 3 11.5M8 12h5'],
  ['think', 'M8 2.5a4 4 0 0 1 2.3 7.3V12H5.7V9.8A4 4 0 0 1 8 2.5zM6.2 14h3.6'],
  [
    'fetch',
    'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM2.5 8h11M8 2.5c-3.6 3.4-3.6 7.6 0 11 3.6-3.4 3.6-7.6 0-11',
  ],
  ['switch_mode', 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13'],
  ['agent', 'M4 2.5v7a3 3 0 0 0 3 3h5M9.5 10l2.5 2.5L9.5 15M4 5.5h5'],
  ['context', 'M2.5 4h11M2.5 8h11M2.5 12h6'],
  ['compaction', 'M3 2.5h10M3 13.5h10M8 4v3M6 5.5 8 7.5l2-2M8 12V9M6 10.5l2-2 2 2'],
  ['rewind', 'M8 4 3.5 8 8 12zM13 4 8.5 8l4.5 4z'],
  ['note', 'M8 2.5 14 13H2zM8 6.5v3M8 11v.5'],
  ['other', 'M3.5 8h.5M8 8h.5M12.5 8h.5'],
  ['chevron', 'M6 4l4 4-4 4'],
  ['copy', 'M5.5 5.5h7.5v8H5.5zM10.5 5.5v-3H3v8h2.5'],
])

const svgNamespace = 'http://www.w3.org/2000/svg'

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg')
  setAttributes(svg, { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' })
  const line = document.createElementNS(svgNamespace, 'path')
  line.setAttribute('d', paths.get(name) ?? paths.get('other') ?? '')
  return append(svg, line)
}

export function withCopy(content: HTMLElement, text: () => string): HTMLElement {
  return append(element('div', { class: 'copied' }), content, copyButton(text))
}

/** A button that copies a text, and says for a moment that it did. */
export function copyButton(text: () => string, label = 'Copy'): HTMLButtonElement {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text())
      made.setAttribute('data-done', 'Copied')
    } catch {
      // Browsers offer the clipboard only to files and secure pages, and some not even to these.
      made.setAttribute('data-done', 'Not copied')
    }
    setTimeout(() => made.removeAttribute('data-done'), 1500)
  }
  const made = button({ class: 'copy', title: label, 'aria-label': label }, copy, icon('copy'))
  return made
}
