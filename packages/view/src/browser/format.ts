/** `12,345`. */
export const count: (value: number) => string = new Intl.NumberFormat('en-US').format

/** `1 event`, `2 events`. */
export function numberOf(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** `950`, `1.2k`, `34k`, `1.8M`. */
export function short(value: number): string {
  if (value < 1000) return String(value)
  if (value < 9950) return `${(value / 1000).toFixed(1)}k`
  if (value < 999_500) return `${Math.round(value / 1000)}k`
  return `${(value / 1e6).toFixed(value < 9.95e6 ? 1 : 0)}M`
}

/** `8.9 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** `$1.23`; small amounts have more digits. */
export function money(amount: number, currency: string): string {
  const minimumFractionDigits = amount > 0 && amount < 0.1 ? 4 : 2
  return amount.toLocaleString('en-US', { style: 'currency', currency, minimumFractionDigits })
}

/** `0.4 s`, `12 s`, `3 min`, `2 h 5 min`, `4 d 2 h`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 59.5) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

// Times are in the time zone of the viewer.

/** `14:03`. */
export const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format
/** `11 May`. */
export const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }).format
/** `11 May 2026, 14:03:10`. */
export const fullTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }).format

export function oneLine(text: string, length = 200): string {
  return text
    .slice(0, length * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, length)
}
