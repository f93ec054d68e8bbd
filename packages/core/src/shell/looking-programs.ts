/** Programs, with their subcommand, that only look: their output is outdated by the next session. */
const looking =
  /^(cat|ls|ll|head|tail|sed|awk|rg|grep|egrep|find|fd|wc|nl|less|more|echo|printf|pwd|cd|date|which|type|file|stat|tree|du|sort|uniq|cut|tr|jq|true|sleep|env|whoami|diff|git (status|log|show|diff|branch|ls-files|rev-parse|blame|remote|check-ignore))$/

const lookingHub = /^gh (?:issue|pr|run|release|repo|workflow) (?:list|view|status|diff|checks)$/

/** PowerShell's commands that only look, by their verb. */
const lookingVerb =
  /^(?:Get|Select|Sort|Where|ForEach|Group|Measure|Format|Compare|ConvertFrom|ConvertTo|Resolve|Split|Join|Write)-[A-Z]\w+$|^Test-Path$/

/** Whether a {@link CommandFact.program} changes and checks nothing. */
export function onlyLooks(program: string): boolean {
  return looking.test(program) || lookingHub.test(program) || isLookingCmdlet(program)
}

/** Whether a command is `Get-Content`, `Select-String` or a similar one of PowerShell. */
export function isLookingCmdlet(program: string): boolean {
  return lookingVerb.test(program)
}
