export type { PageBundle, PageData, PageEvent, PageSession, PageUpdate } from './browser/page-data.ts'
export { pageMark } from './html-page.ts'
export { pageBundle } from './page-bundle.ts'
export { type IndexEntry, indexEntry, renderIndex } from './render-index.ts'
export {
  type PageOptions,
  type ReadView,
  type ReadViewOptions,
  readView,
  renderPage,
  withReplayed,
} from './render-page.ts'
export { contentPolicy, renderPageData } from './render-page-data.ts'
export { type EventImages, withImages } from './with-images.ts'
