import { spawn } from 'node:child_process'

/** Asks the system to show a file or URL in the browser. Rejects if no program can. */
export async function openBrowser(target: string): Promise<void> {
  const [program, args] = openerOf(target)
  await new Promise<void>((done, fail) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', fail)
    child.once('spawn', () => {
      child.unref()
      done()
    })
  })
}

function openerOf(target: string): [program: string, args: string[]] {
  if (process.platform === 'darwin') return ['open', [target]]
  // `start` is a built-in of cmd, and would take the first quoted argument for the title of a window.
  if (process.platform === 'win32') return ['explorer.exe', [target]]
  return ['xdg-open', [target]]
}
