import type { Ran, Run } from './drive-agent.ts'

/** The brief that a session was given with its first request, or with the first that followed a tool. */
export function briefOf(session: Ran | undefined): string | undefined {
  const texts = (session?.requests.slice(0, 2) ?? []).flatMap((body) => textsOf(JSON.parse(body)))
  return texts.find((text) => text.includes('Record of past work') && text.includes('## '))
}

/** All that the last request of a session holds. */
export function lastOf({ sessions }: Run, name: string): string {
  return textsOf(JSON.parse(sessions.get(name)?.requests.at(-1) ?? '{}')).join('\n')
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
