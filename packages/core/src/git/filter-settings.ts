/** Settings of one call of git, as variables: https://git-scm.com/docs/git-config#ENVIRONMENT */
export type GitSettings = readonly (readonly [key: string, value: string])[]

/** Arguments that make git list the names of all settings that it would use in a folder. */
export const listSettings = ['config', '--list', '--name-only', '-z'] as const

/**
 * Settings that switch off every content filter that the settings of a repository name. A filter is a program: whoever
 * can write `.git/config` could run one as us. An empty command passes the content through:
 * https://git-scm.com/docs/gitattributes#_filter. Returns `undefined` if a name cannot be written as a variable.
 */
export function withoutFilters(listed: Buffer): GitSettings | undefined {
  const keys = listed.toString('utf8')
  // Not UTF-8: no variable can hold that name, so its filter could not be switched off.
  if (keys.includes('\ufffd')) return undefined
  const names = new Set(
    keys
      .split('\0')
      .flatMap((key) => /^filter\.([\s\S]*)\.(?:clean|smudge|process|required)$/.exec(key)?.[1] ?? []),
  )
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ])
}

/** Variables that pass settings to one call of git and override all files. Names may hold any character, even `=`. */
export function settingVariables(settings: GitSettings): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  settings.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return variables
}
