const isBigEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0

/** Maximum length of a text whose array is reused for the next text. */
const maxKept = 1 << 20

/** Reads texts into one array of character codes, followed by a 0. Reading it is faster than reading a string. */
export function codeReader(): (text: string) => Uint16Array {
  let kept = bufferFor(0)
  return (text) => {
    const buffer = text.length < kept.codes.length ? kept : bufferFor(text.length)
    if (text.length <= maxKept) kept = buffer
    const { codes, bytes } = buffer
    const size = bytes.write(text, 'utf16le')
    if (isBigEndian) bytes.subarray(0, size).swap16()
    codes[text.length] = 0
    return codes
  }
}

function bufferFor(length: number): { readonly codes: Uint16Array; readonly bytes: Buffer } {
  const codes = new Uint16Array(Math.max(4096, length > maxKept ? length + 1 : 2 * length))
  return { codes, bytes: Buffer.from(codes.buffer) }
}
