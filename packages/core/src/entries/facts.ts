// Facts, plans and bundles computed from a session without a summarizer. A separate entry, because it would double the
// time to import the package.

export { assembleBundle } from '../assemble/assemble-bundle.ts'
export { extractFacts } from '../facts/extract-facts.ts'
export { planBundle } from '../plan/plan-bundle.ts'
