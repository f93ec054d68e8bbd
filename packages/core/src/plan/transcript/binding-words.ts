const binding =
  /\b(?:must|never|always|only|don'?t|do not|required?|should(?: not|n't)|shall|forbidden|security|deprecated|invariant|important|internal|keep|avoid|ensure|note|todo|fixme|hack|for now|by design|intentionally|MVP|placeholder|stub(?:bed)?|workaround|temporar(?:y|ily)|simplif\w+|not (?:yet )?(?:implemented|supported)|assum(?:e[sd]?|ing|ptions?))\b|必须|不要|禁止|务必/i

/** Whether a line of a file may say what binds the work, or why the code is as it is. */
export function isBinding(line: string): boolean {
  return binding.test(line.slice(0, 400)) || isShouted(line)
}

/** A sentence in capitals: `NO RELEASE WITHOUT A GREEN BUILD`. */
function isShouted(line: string): boolean {
  return /^[^\p{Ll}]{16,400}$/u.test(line) && /(?:\p{Lu}{2,}\s+){3}\p{Lu}{2,}/u.test(line)
}
