/**
 * Milliseconds of CPU that this process has used. Tests limit these, since other work on the machine does not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
