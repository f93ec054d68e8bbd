import { libraryConfig } from '../core/build/library-config.ts'

export default libraryConfig({
  'ai-sdk': 'src/ai-sdk/index.ts',
  anthropic: 'src/anthropic/index.ts',
  batch: 'src/batch/index.ts',
  extractive: 'src/extractive/index.ts',
  model: 'src/model/index.ts',
  ollama: 'src/ollama/index.ts',
  openai: 'src/openai/index.ts',
})
