// The public surface of @tenfold/summarizers/extractive.
export { extractiveSummarizer } from './extractive.ts'
