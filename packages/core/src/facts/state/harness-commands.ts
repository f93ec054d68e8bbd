// A separate module, because a program that only renders briefs needs nothing else about a session's end.

/** Whether a message is only a command with which the user leaves. */
export const isExit = (text: string): boolean => /^\s*[/:]?(?:exit|quit|bye|logout|q|wq)!?\s*$/i.test(text)

/** Whether a message is a command that the harness answers without the agent, or a shell command of the user. */
export const isHarnessCommand = (text: string): boolean => harnessCommand.test(text)

const harnessCommand =
  /^\s*(?:\/(?:add|drop|clear|compact|config|context|cost|doctor|help|ide|login|memory|mcp|model|new|permissions|resume|settings|stats|status|tokens|undo|usage|vim)\b[^\n]{0,60}|![^\S\n]?\w[^\n]*)\s*$/i
