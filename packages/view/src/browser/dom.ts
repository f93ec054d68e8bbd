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
  append(made, ...children)
  return made
}

/** Appends the children that are there; returns the parent. */
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

/** An element of the page's own markup. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}

const svgNamespace = 'http://www.w3.org/2000/svg'

/** A drawing of 16 by 16 units, of one path in the colour of the text. */
export function drawing(path: string, name: string): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg')
  setAttributes(svg, { viewBox: '0 0 16 16', class: `icon icon-${name}`, 'aria-hidden': 'true' })
  const line = document.createElementNS(svgNamespace, 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
