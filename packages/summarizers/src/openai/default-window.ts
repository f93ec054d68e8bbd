/** How much of the window a call of OpenAI itself takes by default. */
export const defaultWindow = { contextWindow: 272_000, maxOutputTokens: 32_000, tokenFactor: 1.05 }

/** For Chat Completions of another server, whose window must be set to as much. */
export const compatibleWindow = { contextWindow: 32_768, maxOutputTokens: 4_096 }

/** Tokens of other vendors' models for one of o200k_base. */
export const foreignTokenFactor = 1.4
