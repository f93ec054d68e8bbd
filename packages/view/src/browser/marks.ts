import { searchPattern } from './rows.ts'

const name = 'found'

/** Highlights the search hits in an element, without changing it (CSS Custom Highlights). */
export function markFound(root: Node, query: string): void {
  const registry = globalThis.CSS?.highlights
  if (registry === undefined) return
  const highlight = registry.get(name) ?? new Highlight()
  registry.set(name, highlight)
  if (query === '') return
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const pattern = searchPattern(query, 'giu')
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const { index, 0: found } of (node.textContent ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      highlight.add(range)
    }
}

export function clearFound(): void {
  globalThis.CSS?.highlights?.delete(name)
}
