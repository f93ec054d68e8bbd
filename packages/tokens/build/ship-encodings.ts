import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'rolldown'
import { packEncoding } from '../src/packed-encoding.ts'

const encodings = ['o200k_base', 'cl100k_base']

/** Ships the encodings of the package tiktoken beside the code, packed: they are ready when they are read. */
export function shipEncodings(): Plugin {
  return {
    name: 'ship-encodings',
    load: {
      filter: { id: /[\\/]tokens[\\/](?:src|dist)[\\/]encoding-bytes\.[jt]s$/ },
      handler(id) {
        for (const name of encodings) {
          const path = createRequire(id).resolve(`tiktoken/encoders/${name}.json`)
          const source = packEncoding(JSON.parse(readFileSync(path, 'utf8')))
          this.emitFile({ type: 'asset', fileName: `${name}.bin`, source })
        }
        // Whole URLs, which other bundlers know as files to take along.
        const urls = encodings.map((name) => `${name}: () => new URL('./${name}.bin', import.meta.url)`)
        return {
          // Bundlers that make CommonJS leave `import.meta.url` undefined.
          code: `const urls = { ${urls.join(', ')} }
export const readEncodingBytes = (name, fs) =>
  fs.readFileSync(import.meta.url ? urls[name]() : \`\${__dirname}/\${name}.bin\`)`,
          moduleType: 'js',
        }
      },
    },
  }
}
