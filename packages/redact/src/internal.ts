// For the other packages of Tenfold only: may change in any version.
export { literalScanner } from './literal-scanner.ts'
