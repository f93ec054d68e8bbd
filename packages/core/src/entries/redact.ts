// Replace secrets in texts and in sessions.

export * from '@tenfold/redact'
export { redactSession } from '../redact/redact-session.ts'
