import { libraryConfig } from '../core/build/library-config.ts'
import { shipEncodings } from './build/ship-encodings.ts'

export default libraryConfig({ index: 'src/index.ts', internal: 'src/internal.ts' }, [shipEncodings()])
