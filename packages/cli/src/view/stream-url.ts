export function isStreamUrl(name: string | undefined): name is string {
  return /^https?:\/\//i.test(name ?? '')
}
