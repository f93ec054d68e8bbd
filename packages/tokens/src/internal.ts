// For the other packages of Tenfold only: may change in any version.
export { codeReader } from './code-reader.ts'
export { copyText } from './copy-text.ts'
