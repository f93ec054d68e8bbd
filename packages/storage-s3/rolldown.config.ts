import { libraryConfig } from '../core/build/library-config.ts'

export default libraryConfig({ index: 'src/index.ts' })
