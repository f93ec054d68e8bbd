const instructions =
  /(?:^|\/)(?:CLAUDE|AGENTS?|GEMINI|CONTRIBUTING|CONVENTIONS|HACKING|STYLE_?GUIDE|copilot-instructions)(?:\.[\w-]{1,20})?\.md$|(?:^|\/)\.\w+\/(?:agents|rules)\/[^/]{1,200}\.md$|(?:^|\/)\.(?:cursor|windsurf|cline)\/?rules(?:\/|$)|\.mdc$|(?:^|\/)memory\/[^/]{1,200}\.md$/i
const code =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|kts|scala|swift|php|cs|fs|cc?|cpp|cxx|hh?|hpp|m|mm|ex|exs|erl|clj|hs|ml|lua|pl|r|jl|dart|zig|sol|sh|bash|zsh|ps1|sql|tf|ya?ml|toml|ini|vue|svelte|css|scss)$|(?:^|\/)(?:Makefile|Dockerfile|Justfile)$/i

/** Whether the source of a rule, such as `CLAUDE.md`, instructs the agents of a project. */
export function isInstructions(source: string): boolean {
  return instructions.test(source) || source === 'repository memories'
}

/** Whether the source of a rule is code, of which only comments count. */
export function isCode(source: string): boolean {
  return code.test(source)
}
