import { modelSummarizer } from '@tenfold/summarizers/model'

/** A summarizer for the size of its requests: it calls no model. */
export const sized = modelSummarizer({
  name: 'sized',
  call: () => Promise.reject(new Error('never called')),
  contextWindow: 200_000,
})
