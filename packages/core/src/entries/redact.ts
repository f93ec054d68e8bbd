// Replace secrets in text and in sessions.

export { type PatternRedactorOptions, patternRedactor } from '../redact/pattern-redactor.ts'
export { redactSession } from '../redact/redact-session.ts'
export { createRedaction, type Redaction, type RedactTextOptions } from '../redact/redaction.ts'
export type { Redactor, SecretFinding } from '../redact/redactor.ts'
export { type SecretRedactorOptions, secretRedactor } from '../redact/secret-redactor.ts'
export { envValues } from '../redact/values/env-values.ts'
export { valueRedactor } from '../redact/values/value-redactor.ts'
