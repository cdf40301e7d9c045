import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const SOURCE = new URL('../../src/', import.meta.url).href
const BUILT = new URL('../../dist/', import.meta.url).href

/**
 * Resolves imports of src/ to the built files in dist/ for processes that tests start, because compiling the source takes longer than the
 * rest of the start.
 */
registerHooks({
  resolve(specifier, context, next) {
    const wanted = context.parentURL ? new URL(specifier, context.parentURL).href : specifier
    if (!specifier.startsWith('.') || !wanted.startsWith(SOURCE)) return next(specifier, context)
    const built = wanted.replace(SOURCE, BUILT).replace(/\.tsx?$/, '.js')
    return next(existsSync(fileURLToPath(built)) ? built : specifier, context)
  },
})
