import type { RuleOrigin } from './rule-texts.ts'

/** A longer statement is a paragraph that no list has room for. */
const longest = 400
const shortest = 12

/** Words that bind in any text. */
const strong =
  /\b(?:must(?:n't)?|never|always|do not|don['’]t|shall|should not|shouldn['’]t|may not|mandatory|required|forbidden|prohibited|not allowed|no longer|only ever|by design|on purpose|intentional(?:ly)?)\b|(?:^|\s)@security\b|必须|必須|不要|禁止|不得|务必|務必|必ず|してはいけ|반드시|금지/i

/** Words in capitals that order something. */
const loud = /\b(?:ONLY|FIRST|BEFORE|WITHOUT|STANDING|EVERY|ANY)\b/

/** Words that bind in a list of instructions. */
const weak =
  /\b(?:only|should|avoid|ensure|keep|prefer|requires?|needs?|make sure|instead of|rather than|without|before|defaults? to|stay|follow|every|all|any|we use|no)\b|≥|≤/i

/** An order begins so. */
const order =
  /^(?:\*\*|`)?(?:use|run|write|add|put|keep|prefer|avoid|follow|make|ensure|create|update|document|test|let|treat|return|read|check|commit|bump|default|preserve|include|log|name|place|resolve|perform|call|report|limit|identify|capture|verify|configure|store|validate|handle|wrap|mark|declare|define|import|export|push|open|link|never|always|do|don['’]t|no)\b/i

/** What a comment says to those who change its code. */
const inComment =
  /\b(?:must(?: not|n't)?|never|always|do not|don['’]t|shall|only .{0,40}\bmay|may only|invariants?|backwards?[- ]compat\w*|deprecated|in sync|by design|on purpose|intentional(?:ly)?|load-bearing|call this|update this|not thread[- ]safe|unsaniti[sz]ed|untrusted)\b|@security\b|\bSECURITY:/i

/** Texts that speak to a model about its own instructions: no rule of a project does. */
const aboutModel =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines|above|previous)\b|\b(?:system prompt|you are now|jailbreak|new instructions?)\b/i

/** Sentences of a text that may bind the work, one line each, without list marks. Linear time. */
export function ruleSentences(text: string, origin: RuleOrigin): string[] {
  const own = text.replace(reminder, '')
  const sentences = origin === 'code' ? commentSentences(own) : proseSentences(own, origin !== 'document')
  return sentences.filter(
    (sentence) =>
      sentence.length >= shortest &&
      sentence.length <= longest &&
      !/[?？:：]$/.test(sentence) &&
      !aboutModel.test(sentence),
  )
}

/** What a harness adds to the output of a tool. */
const reminder = /<system-reminder>[^<]{0,20000}<\/system-reminder>/g

const maxText = 200_000
const lineNumber = /^ {0,8}\d{1,6}[→\t|:] ?/
const listMark = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?/i

function proseSentences(text: string, instructs: boolean): string[] {
  return paragraphsOf(text, instructs).flatMap(({ text: paragraph, isItem }) =>
    sentencesOf(paragraph).filter(
      (sentence) =>
        strong.test(sentence) ||
        loud.test(sentence) ||
        (instructs && (order.test(sentence) || weak.test(sentence))) ||
        (isItem && order.test(sentence) && weak.test(sentence)),
    ),
  )
}

/** Lines of a text, joined where an editor wrapped them, without headings, tables and code. */
function paragraphsOf(text: string, instructs: boolean): { text: string; isItem: boolean }[] {
  const paragraphs: { text: string; isItem: boolean }[] = []
  let fenced = false
  let open = false
  for (const raw of text.slice(0, maxText).split('\n')) {
    const line = raw.replace(lineNumber, '').slice(0, 2000)
    const said = oneLine(line.replace(listMark, ''))
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    else if (fenced) {
      // `make check  # before every commit`
      if (instructs && /^\s*[\w./-].{2,200}\s#\s/.test(line))
        paragraphs.push({ text: oneLine(line), isItem: true })
    } else if (said !== '' && !/^\s*(?:#{1,6}\s|[|<>│├└]|[=-]{3,}\s*$)/.test(line)) {
      const last = paragraphs.at(-1)
      const isItem = listMark.test(line)
      if (open && last !== undefined && !isItem && /^[\p{Ll}\d(`]/u.test(said) && last.text.length < 2000)
        last.text = `${last.text} ${said}`
      else paragraphs.push({ text: said, isItem })
      open = !/[.!?:]$/.test(said)
      continue
    }
    open = false
  }
  return paragraphs
}

/** Ends of sentences, but not those of abbreviations and of names in code. */
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(
    /(?<=[^\s.A-Z][^\s.][.!?]["')\]`*]{0,3})\s+(?=["'(`*]{0,3}[\p{Lu}\p{Script=Han}@])|(?<=[。！？])/u,
  )
}

const commentLine = /^\s*(?:\/\/+!?|#(?![!\w])|\*(?!\/)|\/\*\*?|--|;;|"""|<!--)\s?(.*?)\s*(?:\*\/|-->)?$/

/** Sentences of comments: lines of a comment that follow each other are one paragraph. */
function commentSentences(text: string): string[] {
  const paragraphs: string[] = []
  let open = false
  for (const raw of text.slice(0, maxText).split('\n')) {
    const line = raw.replace(lineNumber, '').slice(0, 600)
    const words = commentLine.exec(line)?.[1] ?? (line.startsWith('//') ? '' : undefined)
    const trailing = words === undefined ? /\S.{0,200}\s(?:\/\/|#)\s+(.{8,300})$/.exec(line)?.[1] : undefined
    if (words === undefined) {
      open = false
      if (trailing !== undefined) paragraphs.push(oneLine(trailing))
      continue
    }
    const said = oneLine(words)
    const last = paragraphs.length - 1
    if (said === '' || /^[-=*#]{3,}$/.test(said)) open = false
    else if (open && continues(paragraphs[last] ?? '', said)) paragraphs[last] = `${paragraphs[last]} ${said}`
    else {
      paragraphs.push(said)
      open = true
    }
  }
  return paragraphs.flatMap(sentencesOf).filter((sentence) => inComment.test(sentence))
}

/** Whether a line goes on with the sentence of the one before: a new sentence after a short line is one of its own. */
function continues(before: string, line: string): boolean {
  if (before.length > 2000) return false
  return !/^\p{Lu}/u.test(line) || /[.!?,;]$/.test(before) || before.length >= 60
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
