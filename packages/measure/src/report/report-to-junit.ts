import { currentOf } from './limits.ts'
import type { BundleReport } from './report-schema.ts'

/**
 * The report as JUnit XML: a test case for each log, which fails if the log exceeds a limit, and a test case for the
 * limits of the whole report.
 */
export function reportToJunit({ rows, failures, breaches }: BundleReport): string {
  const cases = [
    ...currentOf(rows).map(({ log, format, bundle }) => ({ name: `${log} (${bundle})`, group: format, log })),
    { name: 'all logs', group: 'report', log: undefined },
  ].map(({ name, group, log }) => {
    const faults = breaches.filter((breach) => breach.log === log)
    const open = `    <testcase classname="${escapeXml(`tenfold.${group}`)}" name="${escapeXml(name)}"`
    if (faults.length === 0) return `${open}/>`
    const parts = faults.map(
      ({ limit, message }) =>
        `      <failure type="${escapeXml(limit)}" message="${escapeXml(message)}">${escapeXml(message)}</failure>`,
    )
    return [`${open}>`, ...parts, '    </testcase>'].join('\n')
  })
  const errors = failures.map(
    ({ log, code, message }) =>
      `    <testcase classname="tenfold.failed" name="${escapeXml(log)}">\n      <error type="${escapeXml(code)}" message="${escapeXml(message)}">${escapeXml(message)}</error>\n    </testcase>`,
  )
  const failed = cases.filter((text) => text.includes('<failure ')).length
  const counts = `tests="${cases.length + errors.length}" failures="${failed}" errors="${errors.length}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="tenfold report" ${counts}>
${[...errors, ...cases].join('\n')}
  </testsuite>
</testsuites>
`
}

/** Characters that XML 1.0 cannot contain even as references: https://www.w3.org/TR/xml/#charsets */
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

function escapeXml(text: string): string {
  const clean = text.replace(impossible, '\ufffd').toWellFormed()
  return clean.replace(/[&<>"'\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`)
}
