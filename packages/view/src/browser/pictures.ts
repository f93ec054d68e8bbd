import { element } from './dom.ts'
import { numberOf } from './format.ts'
import type { PageEvent } from './page-data.ts'

/** The images of an event, if the page was made with them. */
export function pictures({ id, pictures: images = [] }: PageEvent): HTMLElement[] {
  if (images.length === 0) return []
  const shown = images.map((source, index) =>
    element('img', { src: source, alt: `Image ${index + 1} of ${id}`, loading: 'lazy', decoding: 'async' }),
  )
  return [element('div', { class: 'pictures' }, ...shown)]
}

/** In place of images that the page does not hold. */
export function imagesNote(images: number): string {
  return `${numberOf(images, 'image')}, not on this page (tenfold view --images shows them)`
}
