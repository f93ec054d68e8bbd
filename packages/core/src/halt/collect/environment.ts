import { envValues } from '@tenfold/redact'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables whose values every dump holds: they show how the process ran, not what it knows. */
const defaultEnvNames =
  'CI COLUMNS HOME HOSTNAME LANG LC_ALL LOGNAME NODE_ENV NODE_OPTIONS NODE_VERSION PATH PWD SHELL SHLVL TERM TMPDIR TZ USER VIRTUAL_ENV'

/** Content of `environment/env-vars.json`: the values of the variables on the list, and the names of all others. */
export function environmentValues(env: Environment, names: readonly string[]) {
  const allowed = new Set([...defaultEnvNames.split(' '), ...names])
  const entries = Object.entries(env)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    variables: Object.fromEntries(entries.filter(([name]) => allowed.has(name))),
    notDumped: entries.map(([name]) => name).filter((name) => !allowed.has(name)),
  }
}

const secretName = /key|token|secret|passw|pwd$|pass$|credential|private|dsn/i

/**
 * Returns values of variables that are secret by their names, and passwords in URLs: a dump must not hold them
 * anywhere.
 */
export function environmentSecrets(env: Environment): string[] {
  const secrets = Object.entries(env).flatMap(([name, value = '']) => {
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    // A path says where a secret is; a back quote would end the value of a `.env` line.
    if (value.includes('`') || /^[/~]/.test(value) || !(isUrl || secretName.test(name))) return []
    return envValues(`${/^\w+$/.test(name) ? name : 'KEY'}=\`${value}\``)
  })
  return [...new Set(secrets)]
}
