// A module of its own, loaded only for a brief that may be too long: the bundler then splits it from what every brief needs.

export { fitBlocks } from '../brief/fit-blocks.ts'
