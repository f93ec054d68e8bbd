// Saves bundles in a loop and prints a line for each save that returned: `<sequence> <id>`.
// Arguments: folder, file with a bundle as template, how many saves (0: until it is killed).
import { readFileSync } from 'node:fs'
import { bundleStore, newBundleId } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'

const [, , folder, templatePath, count] = process.argv
const template = JSON.parse(readFileSync(templatePath, 'utf8'))
const store = bundleStore(fileStorage(folder))
process.stdout.write('ready\n')
for (let saved = 0; count === '0' || saved < Number(count); saved++) {
  const now = new Date()
  const bundle = { ...template, id: newBundleId(now), createdAt: now.toISOString() }
  const { id, sequence } = await store.save(bundle)
  process.stdout.write(`${sequence} ${id}\n`)
}
