// Only for Tenfold's other packages. May change in any version.
export { codeReader } from './code-reader.ts'
export { copyText } from './copy-text.ts'
