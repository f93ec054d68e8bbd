// Replace secrets in text and in sessions: @tenfold/redact, and what needs a session.

export * from '@tenfold/redact'
export { redactSession } from '../redact/redact-session.ts'
