/**
 * Options of a request of the SDKs. A redirect would send the session, and keys in headers that `fetch` does not know,
 * to a server that nobody named; with these options the SDK throws for the status instead.
 */
export const noRedirect = { fetchOptions: { redirect: 'manual' } } as const

/**
 * The message for a reply that redirects; undefined for any other. `location` is the header, which may contain
 * anything.
 */
export function redirectAdvice(
  status: number | undefined,
  location: string | null | undefined,
): string | undefined {
  if (status === undefined || status < 300 || status > 399) return undefined
  const origin = location != null && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `the server redirects${origin}, and redirects are not followed: set the base URL to the address that requests should go to`
}
