import { createRequire } from 'node:module'
import { onDemand } from '../../kernel/on-demand.ts'

const require = createRequire(import.meta.url)

/** The plans of all countries' numbers are a hundred modules, and whoever has a number to read cannot wait for an import. */
export const phoneNumbers = onDemand(() => require('libphonenumber-js') as typeof import('libphonenumber-js'))
