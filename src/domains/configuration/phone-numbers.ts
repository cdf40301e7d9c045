import { createRequire } from 'node:module'
import { makeLazy } from '../../kernel/lazy.ts'

const require = createRequire(import.meta.url)

/** Loads libphonenumber-js on first use, because its metadata is large. Uses require, because callers are synchronous. */
export const loadPhoneNumberLibrary = makeLazy(() => require('libphonenumber-js') as typeof import('libphonenumber-js'))
