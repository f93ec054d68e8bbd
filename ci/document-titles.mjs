/** A plugin of TypeDoc: a document is called what its first heading says, not what its file is called. */
export function load(app) {
  app.converter.on('createDocument', (_, document) => {
    const [first] = document.content
    const [heading, title] = /^# (.+)\n+/.exec(first?.text ?? '') ?? []
    if (title === undefined) return
    document.name = title
    first.text = first.text.slice(heading.length)
  })
}
