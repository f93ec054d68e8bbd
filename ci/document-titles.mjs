/**
 * A plugin of TypeDoc: a document is called what its first heading says, not what its file is called, and a module what
 * a program imports.
 */
export function load(app) {
  app.converter.on('createDocument', (_, document) => {
    const title = /^# (.+)/.exec(document.content[0]?.text ?? '')?.[1]
    if (title === undefined) return
    // The README of a package, beside the module that has its name.
    document.name = title.replace(/^(?:@tenfold\/)?([a-z0-9-]+)$/, 'Package $1')
  })
  app.converter.on('resolveBegin', ({ project }) => {
    // TypeDoc writes the name of the project above its README, but nothing above a document.
    const [first] = project.readme ?? []
    if (first !== undefined) first.text = first.text.replace(/^# .+\n+/, '')
    for (const module of project.children ?? []) module.name = `@tenfold/${module.name.replace('/src', '')}`
  })
}
