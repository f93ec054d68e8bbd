import { config } from 'zod/mini'
import en from 'zod/v4/locales/en.js'

/**
 * Gives zod its English messages, which `zod/mini` comes without; those that the program has set stay. Modules that
 * make schemas call it.
 */
export function speakEnglish(): void {
  if (config().localeError === undefined) config(en())
}
