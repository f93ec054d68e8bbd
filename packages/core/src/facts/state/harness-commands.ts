// A separate module, because a program that only renders briefs needs nothing else about a session's end.

/** Whether a message is only a command with which the user leaves. */
export const isExit = (text: string): boolean => /^\s*[/:]?(?:exit|quit|bye|logout|q|wq)!?\s*$/i.test(text)

/** Whether a message is a command that the harness answers without the agent, or a shell command of the user. */
export const isHarnessCommand = (text: string): boolean => harnessCommand.test(text)

const harnessCommand =
  /^\s*(?:\/(?:add|agents|clear|compact|config|context|cost|doctor|drop|export|help|hooks|ide|login|logout|mcp|memory|model|new|output-style|permissions|plugins?|reload-plugins|remote-control|rename|resume|rewind|settings|stats|status|statusline|theme|tokens|undo|usage|vim)\b[^\n]{0,60}|![^\S\n]?\w[^\n]*)\s*$/i

/** Whether a call only maintains a list, a title or a thought. */
export const keepsBooks = (name: string): boolean =>
  /todo|update_?plan|^task_?(?:create|update|list|get|stop)$|update_?topic|set_?title|report_?intent|memory/i.test(
    name,
  )
