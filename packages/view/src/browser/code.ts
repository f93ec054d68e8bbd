import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { type Child, element, withCopy } from './dom.ts'

const known = createLowlight({
  ...{ bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, kotlin, markdown, php, python },
  ...{ ruby, rust, sql, swift, typescript, xml, yaml },
})
known.registerAlias({ bash: ['shell', 'console', 'sh', 'zsh'], typescript: ['mts', 'cts'], xml: ['vue'] })

/** Longer code has no colours, which would take long to find. */
const maxLength = 20_000

export function codeBlock(text: string, language = ''): HTMLElement {
  return withCopy(
    element('pre', { class: 'verbatim code', tabindex: 0 }, ...colored(text, language)),
    () => text,
  )
}

/** The text, with an element for each part that has a colour. */
export function colored(text: string, language: string): Child[] {
  const [name = ''] = language.toLowerCase().split(/[^\w+#-]/, 1)
  if (text.length > maxLength || !known.registered(name)) return [text]
  return nodes(known.highlight(name, text).children)
}

type Part = ReturnType<typeof known.highlight>['children'][number]

function nodes(parts: readonly Part[]): Child[] {
  return parts.map((part): Child => {
    if (part.type === 'text') return part.value
    if (part.type !== 'element') return undefined
    const { className } = part.properties
    return element(
      'span',
      { class: Array.isArray(className) ? className.join(' ') : undefined },
      ...nodes(part.children as Part[]),
    )
  })
}

/** The language of a file by its extension; empty if its code has no colours. */
export function languageOf(path: string): string {
  const extension = /\.([a-z\d]{1,8})$/i.exec(path)?.[1] ?? ''
  return known.registered(extension.toLowerCase()) ? extension : ''
}
