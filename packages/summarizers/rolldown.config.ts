import { lazyExports } from '../core/build/lazy-exports.ts'
import { libraryConfig } from '../core/build/library-config.ts'

export default libraryConfig(
  {
    'ai-sdk': 'src/ai-sdk/index.ts',
    anthropic: 'src/anthropic/index.ts',
    batch: 'src/batch/index.ts',
    extractive: 'src/extractive/index.ts',
    model: 'src/model/index.ts',
    ollama: 'src/ollama/index.ts',
    openai: 'src/openai/index.ts',
  },
  // All that it does goes to a vendor or a store, with most of core.
  [lazyExports(/summarizers[\\/]src[\\/]batch[\\/]index\.ts$/)],
)
