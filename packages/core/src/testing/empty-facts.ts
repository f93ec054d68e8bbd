import type { Facts } from '../facts/facts.ts'

/** Facts of a session without actions. */
export const emptyFacts: Facts = {
  files: [],
  commands: [],
  errors: [],
  tasks: [],
  git: { commits: [] },
  answers: [],
  constraints: [],
  constraintCandidates: [],
  projectRules: [],
  proposals: [],
  openWork: { steps: [], remarks: [] },
  namedFiles: [],
  identifiers: new Map(),
}
