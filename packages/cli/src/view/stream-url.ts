/** Whether an argument is the address of an event stream. */
export function isStreamUrl(name: string | undefined): name is string {
  return /^https?:\/\//i.test(name ?? '')
}
