/** How much of the window a call takes by default. */
export const defaultWindow = { contextWindow: 200_000, maxOutputTokens: 32_000, tokenFactor: 1.5 }
