import { TenfoldError } from '@tenfold/core'
import { expect, it } from 'vitest'
import { loadPackage } from '../../src/provider/load-package.ts'

it('says how to install a package that is missing', async () => {
  const missing = 'no-such-vendor'
  const error = await loadPackage(missing, () => import(missing)).catch((thrown: unknown) => thrown)
  expect(TenfoldError.isInstance(error) && error.code).toBe('missing-package')
  expect(error).toMatchObject({
    message: 'The package no-such-vendor is not installed: npm install no-such-vendor',
  })
})

it('passes on what a package itself throws', async () => {
  await expect(loadPackage('broken', () => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails')
})
