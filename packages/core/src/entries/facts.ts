// What is computed from a session without a summarizer, and what is made of it. Apart, as an import of the package would
// take twice as long with it.

export { assembleBundle } from '../assemble/assemble-bundle.ts'
export { extractFacts } from '../facts/extract-facts.ts'
export { planBundle } from '../plan/plan-bundle.ts'
