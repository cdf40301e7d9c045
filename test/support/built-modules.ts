import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const SOURCE = new URL('../../src/', import.meta.url).href
const BUILT = new URL('../../dist/', import.meta.url).href

/** What a process of the tests' own imports from the source it gets as the build made it: to compile all of it takes longer than the rest of a start. */
registerHooks({
  resolve(specifier, context, next) {
    const wanted = context.parentURL ? new URL(specifier, context.parentURL).href : specifier
    if (!specifier.startsWith('.') || !wanted.startsWith(SOURCE)) return next(specifier, context)
    const built = wanted.replace(SOURCE, BUILT).replace(/\.tsx?$/, '.js')
    return next(existsSync(fileURLToPath(built)) ? built : specifier, context)
  },
})
