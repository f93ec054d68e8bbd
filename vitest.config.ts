import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Tests start processes and read whole logs on two cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
