/** Programs, with their subcommand, that only look: what they showed is old by the next session. */
const looking =
  /^(cat|ls|ll|head|tail|sed|awk|rg|grep|egrep|find|fd|wc|nl|less|more|echo|printf|pwd|cd|date|which|type|file|stat|tree|du|sort|uniq|cut|tr|jq|true|sleep|env|whoami|diff|git (status|log|show|diff|branch|ls-files|rev-parse|blame|remote|check-ignore))$/

/** True for a `CommandFact.program` that changes and checks nothing. */
export function onlyLooks(program: string): boolean {
  return looking.test(program)
}
